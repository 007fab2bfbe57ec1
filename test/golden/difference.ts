// Describes the difference between two transcripts: removed and added lines, and for a changed line the fields that changed.

type Step = { type: "same" | "gone" | "came"; line: string };

/** The description has at most this many lines. */
const most = 60;

/** Returns the description; null if the transcripts are equal. */
export function differenceOf(kept: string, played: string): string | null {
  if (kept === played) return null;
  const [before, after] = [kept.split("\n"), played.split("\n")];
  const shown: string[] = [];
  let section = "";
  const steps = stepsBetween(before, after);
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at];
    if (step === undefined) break;
    if (step.type !== "came" && step.line.startsWith("# ")) section = step.line;
    if (step.type === "same") continue;
    const next = steps[at + 1];
    const fields = step.type === "gone" && next?.type === "came" ? changedFields(step.line, next.line) : null;
    if (step.type === "gone" && next?.type === "came" && withoutMarks(step.line) === withoutMarks(next.line)) {
      // Only a mark changed. The object it refers to is compared where it is written.
      at += 1;
      continue;
    }
    if (shown.at(-1) !== section && !shown.includes(section)) shown.push(section);
    if (fields !== null) {
      shown.push(`  ${cut(step.line, 80)}`, ...fields.map((field) => `    ${field}`));
      at += 1;
    } else shown.push(`${step.type === "gone" ? "-" : "+"} ${cut(step.line, 600)}`);
  }
  const rest = shown.length - most;
  return [...shown.slice(0, most), ...(rest > 0 ? [`… and ${String(rest)} lines more`] : [])].join("\n");
}

/** The edit steps between two lists of lines. Removed and added lines of one place alternate, so that they can be compared. */
function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  // Lengths of the longest common subsequences of the remaining lines.
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const of = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        old[row] === now[column] ? of(row + 1, column + 1) + 1 : Math.max(of(row + 1, column), of(row, column + 1));
  const steps: Step[] = before.slice(0, start).map((line) => ({ type: "same", line }));
  let [row, column] = [0, 0];
  let [gone, came]: [string[], string[]] = [[], []];
  const pair = (): void => {
    for (let at = 0; at < Math.max(gone.length, came.length); at += 1) {
      if (gone[at] !== undefined) steps.push({ type: "gone", line: gone[at] ?? "" });
      if (came[at] !== undefined) steps.push({ type: "came", line: came[at] ?? "" });
    }
    [gone, came] = [[], []];
  };
  while (row < old.length || column < now.length) {
    const [left, right] = [old[row], now[column]];
    if (left !== undefined && left === right) {
      pair();
      steps.push({ type: "same", line: left });
      row += 1;
      column += 1;
    } else if (right === undefined || (left !== undefined && of(row + 1, column) >= of(row, column + 1))) {
      gone.push(left ?? "");
      row += 1;
    } else {
      came.push(right);
      column += 1;
    }
  }
  pair();
  return steps;
}

/** The fields in which two lines of JSON with the same heading differ. */
function changedFields(before: string, after: string): string[] | null {
  const [left, right] = [parsed(before), parsed(after)];
  if (left === null || right === null || left.head !== right.head) return null;
  const fields = fieldsBetween(left.value, right.value, "");
  return fields.length === 0 ? null : fields;
}

function parsed(line: string): { head: string; value: unknown } | null {
  const at = line.search(/[{[]/);
  if (at === -1) return null;
  try {
    return { head: line.slice(0, at), value: JSON.parse(line.slice(at)) as unknown };
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function fieldsBetween(before: unknown, after: unknown, path: string): string[] {
  const [left, right] = [unmarked(before), unmarked(after)];
  const both = isObject(left) && isObject(right) && Array.isArray(left) === Array.isArray(right);
  if (!both)
    return JSON.stringify(left) === JSON.stringify(right) ? [] : [`${path}: ${inShort(left)} → ${inShort(right)}`];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  const found = keys.flatMap((key) => fieldsBetween(left[key], right[key], `${path}.${key}`));
  const [old, now] = [Object.keys(left).join(), Object.keys(right).join()];
  return found.length === 0 && old !== now ? [`${path}: the order is ${old} → ${now}`] : found;
}

/** An object or a list without its mark. */
function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return /^#[0-9a-z]{6} is$/.test(String(value[0])) ? value.slice(1) : value;
  if (!isObject(value)) return value;
  const { "#": mark, ...rest } = value;
  return mark === undefined ? value : rest;
}

/** The text with all marks made equal. */
const withoutMarks = (text: string): string => text.replaceAll(/#[0-9a-z]{6}/g, "#");

const inShort = (value: unknown): string => (value === undefined ? "nothing" : cut(JSON.stringify(value), 300));

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
