// Finds formulas in markdown: inline formulas \( … \) and $ … $, and display formulas \[ … \] and $$ … $$. They are
// replaced by marks before the text is parsed, because markdown would interpret their backslashes, underscores and
// bars, and inserted into the parsed tree afterwards. Code stays code, and amounts of money stay text.

/** A formula of a text. */
export interface FormulaSource {
  /** The formula in TeX. */
  tex: string;
  /** Whether it is a display formula. */
  display: boolean;
  /** The original text, with its delimiters. */
  source: string;
}

/** A text with a mark in the place of each formula. */
export interface WithoutFormulas {
  text: string;
  formulas: FormulaSource[];
}

interface TreeNode {
  type: string;
  value?: string | null;
  children?: TreeNode[];
  data?: { hName: string; hProperties: Record<string, string> };
  [field: string]: unknown;
}

/** The largest number of characters of a formula. */
const longest = 2000;

// Characters of the private use area. A text that contains them is left unchanged.
const begin = "\uE000";
const end = "\uE001";
const mark = /\uE000(\d+)\uE001/g;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const blankLine = /\n[ \t]*\n/;
/** "$5 and $": an amount and a word. */
const amount = /^\d[\d.,]*\s+[A-Za-z]/;

/** The text without its formulas; null if it has none. */
export function takeFormulas(text: string): WithoutFormulas | null {
  if (!/\$|\\[([]/.test(text) || text.includes(begin) || text.includes(end)) return null;
  const formulas: FormulaSource[] = [];
  let prose: string[] = [];
  const out: string[] = [];
  const flush = (): void => {
    if (prose.length > 0) out.push(inProse(prose.join("\n"), formulas));
    prose = [];
  };
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const found = fence.exec(line)?.[1];
    if (open === null && found === undefined) prose.push(line);
    else {
      flush();
      out.push(line);
    }
    if (found === undefined) continue;
    if (open === null) open = found;
    else if (found[0] === open[0] && found.length >= open.length && line.trim() === found) open = null;
  }
  flush();
  return formulas.length === 0 ? null : { text: out.join("\n"), formulas };
}

function inProse(text: string, formulas: FormulaSource[]): string {
  const out: string[] = [];
  /** Lengths of runs of backticks that have no closing run. */
  const unclosed = new Set<number>();
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at];
    if (char === "`") {
      at = afterCode(text, at, unclosed);
      continue;
    }
    const found = char === "$" || char === "\\" ? formulaAt(text, at) : null;
    if (found === null) {
      at += char === "\\" || (char === "$" && text[at + 1] === "$") ? 2 : 1;
      continue;
    }
    out.push(text.slice(from, at), begin, String(formulas.length), end);
    formulas.push(found);
    at += found.source.length;
    from = at;
  }
  out.push(text.slice(from));
  return out.join("");
}

/** The position after a code span, or after the backticks if they do not start one. */
function afterCode(text: string, at: number, unclosed: Set<number>): number {
  let length = 1;
  while (text[at + length] === "`") length += 1;
  const inside = at + length;
  if (unclosed.has(length)) return inside;
  const ticks = "`".repeat(length);
  let close = text.indexOf(ticks, inside);
  while (close !== -1 && (text[close - 1] === "`" || text[close + length] === "`")) {
    while (text[close] === "`") close += 1;
    close = text.indexOf(ticks, close);
  }
  if (close === -1) unclosed.add(length);
  return close === -1 ? inside : close + length;
}

function formulaAt(text: string, at: number): FormulaSource | null {
  const two = text.slice(at, at + 2);
  if (two === "\\(") return between(text, at, { from: 2, close: "\\)", display: false });
  if (two === "\\[") return between(text, at, { from: 2, close: "\\]", display: true });
  if (two === "$$") return between(text, at, { from: 2, close: "$$", display: true });
  return text[at] === "$" ? inDollars(text, at) : null;
}

interface Delimiters {
  from: number;
  close: string;
  display: boolean;
}

function between(text: string, at: number, { from, close, display }: Delimiters): FormulaSource | null {
  // No further than the longest formula.
  const inside = text.slice(at + from, at + from + longest + close.length);
  const length = inside.indexOf(close);
  const tex = inside.slice(0, Math.max(length, 0));
  if (tex.trim() === "" || blankLine.test(tex)) return null;
  return { tex: tex.trim(), display, source: text.slice(at, at + from + length + close.length) };
}

/**
 * A formula between single dollar signs: no blank inside next to them, no letter or digit outside next to them, as in
 * "$x_1$" and unlike "$5 or $10".
 */
function inDollars(text: string, at: number): FormulaSource | null {
  if (/[\w$\\]/.test(text[at - 1] ?? " ") || /[\s$]/.test(text[at + 1] ?? " ")) return null;
  const line = text.slice(at + 1, at + 1 + longest).split("\n", 1)[0] ?? "";
  const length = line.search(/(?<!\\)\$/);
  const tex = line.slice(0, Math.max(length, 0));
  if (tex === "" || /\s$/.test(tex) || amount.test(tex) || /[\w$]/.test(line[length + 1] ?? " ")) return null;
  return { tex, display: false, source: text.slice(at, at + length + 2) };
}

/** A remark plugin that inserts the formulas again: as elements in text, and with their original text elsewhere. */
export function putFormulas(formulas: readonly FormulaSource[]): (tree: TreeNode) => void {
  const written = (text: string): string =>
    text.replace(mark, (all, number) => formulas[Number(number)]?.source ?? all);
  const walk = (node: TreeNode): void => {
    for (const [field, value] of Object.entries(node)) {
      if (typeof value === "string" && value.includes(begin)) node[field] = written(value);
    }
    node.children = node.children?.flatMap((child) => {
      if (child.type === "text" && child.value?.includes(begin) === true) return cut(child.value, formulas);
      walk(child);
      return [child];
    }) as TreeNode[];
    if (node.children === undefined) delete node.children;
  };
  return walk;
}

function cut(text: string, formulas: readonly FormulaSource[]): TreeNode[] {
  const nodes: TreeNode[] = [];
  let from = 0;
  for (const found of text.matchAll(mark)) {
    const formula = formulas[Number(found[1])];
    if (formula === undefined) continue;
    if (found.index > from) nodes.push({ type: "text", value: text.slice(from, found.index) });
    nodes.push(nodeOf(formula));
    from = found.index + found[0].length;
  }
  if (from < text.length) nodes.push({ type: "text", value: text.slice(from) });
  return nodes;
}

/** A node that no markdown can produce, because HTML in a text is never rendered. */
function nodeOf({ tex, display, source }: FormulaSource): TreeNode {
  const hProperties = { dataTex: tex, dataDisplay: String(display) };
  return { type: "formula", data: { hName: "math", hProperties }, children: [{ type: "text", value: source }] };
}
