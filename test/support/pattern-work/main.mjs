// Finds regular expressions whose work grows with the square of a text's length: for each literal of the sources it counts the backtracks for
// repeated texts, so the result does not depend on the speed of the machine. Started with the flags `--allow-natives-syntax` and
// `--no-regexp-optimization` of Node. The arguments are files; it prints a line of JSON for each expression that exceeds the bound.

import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";

import { parseSync } from "oxc-parser";

/** The number of repetitions, and the number of backtracks for each character that an expression may need. */
const repetitions = 600;
const backtracksPerCharacter = 80;

/** Creates an expression that matches nothing after `limit` backtracks. Its syntax is one of the engine, so it is compiled as a script. */
const limitedPattern = runInThisContext("(source, flags, limit) => %NewRegExpWithBacktrackLimit(source, flags, limit)");

/** Pieces of text that expressions of the sources look for. */
const commonPieces = [
  ..." \t\n\ra0-_./\\\"'[]{}<>(),;:=&%#*`|~$+?!@A".split(""),
  "\r\n",
  "é",
  "\ud800",
  "\u200b",
  "a ",
  " a",
  "a=",
  'a="',
  "a-",
  "a.",
  "0.",
  "\n ",
  "%20",
  "<a ",
  "<a>",
  "<!--",
  "{a",
  "](",
  "/..",
  "../",
];

const token =
  /\(\?(?:[=!:]|<[=!]|<\w+>)|\\(?:[pPk][{<][^}>]*[}>]|x[\da-fA-F]{2}|u(?:\{[^}]*\}|[\da-fA-F]{4})|\d+|[^])|\[(?:\\[^]|[^\]\\])*\]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/g;
const isRepetition = (text) => /^(?:[*+?]|\{\d)/.test(text ?? "");

const tokensOf = (source, flags) => source.match(new RegExp(token, flags.includes("u") ? "gu" : "g")) ?? [];

/** The source in a form whose loops the engine counts: it does not count the backtracks of a loop over a single piece of text. */
function countedSource(source, flags) {
  const tokens = tokensOf(source, flags);
  const counted = tokens.map((text, index) => {
    if (!isRepetition(tokens[index + 1]) || text.startsWith("(") || isRepetition(text)) return text;
    return text === ")" ? "|(?!))" : `(?:${text}|(?!))`;
  });
  return counted.join("");
}

/** A character that a token of an expression matches; `any` for one that matches most characters. */
function sampleOf(token, flags, any = "a") {
  if (/^(?:\.|\\[SDP])/.test(token)) return any;
  if (token === "\\w") return "a";
  if (/^\\[dp]/.test(token)) return "0";
  if (token === "\\s") return " ";
  if (/^(?:\\[bB]|[$^]$)/.test(token)) return "";
  if (token.startsWith("[^")) return ["a", "0", " ", "<"].find((unit) => new RegExp(token, flags).test(unit)) ?? "";
  if (token.startsWith("["))
    return [...commonPieces, ..."bcdefwxz".split("")].find((unit) => new RegExp(`^${token}$`, flags).test(unit)) ?? "";
  return token.replace(/^\\(.)$/, (_, unit) => ({ n: "\n", r: "\r", t: "\t" })[unit] ?? unit);
}

/**
 * Texts that parts of an expression match: each group, and its whole, by the first alternative. A repeated character stands twice, and an
 * optional one is left out if `isShort`.
 */
function samples(source, flags, any, isShort) {
  const tokens = tokensOf(source, flags);
  const plain = flags.replace(/[gy]/g, "");
  const found = [];
  const open = [{ text: "", isClosed: false }];
  for (const [index, token] of tokens.entries()) {
    const current = open.at(-1);
    if (token.startsWith("(")) open.push({ text: "", isClosed: false, isLook: /^\(\?<?!/.test(token) });
    else if (token === "|") current.isClosed = true;
    else if (token === ")") {
      const { text, isLook } = open.pop();
      found.push(text);
      if (!open.at(-1).isClosed && !isLook) open.at(-1).text += text;
    } else if (!current.isClosed && !isRepetition(token)) {
      const next = tokens[index + 1] ?? "";
      const times = isShort && /^[*?]/.test(next) ? 0 : /^[*+{]/.test(next) ? 2 : 1;
      current.text += sampleOf(token, plain, any).repeat(times);
    }
  }
  return [...found, open[0].text].filter((text) => text !== "");
}

/** The texts that an expression itself has, alone and joined with the next one, and texts that its parts match. */
function ownPieces(source, flags) {
  const literals = source.match(/(?:\\[^dDwWsSbBpPkxu0-9]|[A-Za-z0-9<>"':;,=\-/ @#&%!`~_])+/g) ?? [];
  const texts = literals.map((text) => text.replace(/\\(.)/g, (escape) => sampleOf(escape, "")));
  const joined = texts.map((text, index) => text + (texts[index + 1] ?? ""));
  return [...texts, ...joined, ...samples(source, flags, "a", false), ...samples(source, flags, "/", true)];
}

/** The text for which an expression exceeds the bound: a beginning and the repeated piece; undefined if there is none. */
function excess(source, flags) {
  if (!/[*+{]/.test(source)) return undefined;
  // A global expression continues after each match, any other one ends with the first. A sticky one does not search.
  const counted = countedSource(source, flags);
  const searching = flags.includes("g") ? `^(?:(?:${counted})|[^])*?(?![^])` : `^[^]*?(?:(?:${counted})|(?![^]))`;
  const whole = flags.includes("y") ? `(?:${counted})|` : searching;
  const kept = flags.replace(/[gym]/g, "") + (flags.includes("m") ? "m" : "");
  const own = ownPieces(source, flags);
  for (const beginning of new Set(["", "a", ...own.slice(0, 4)])) {
    for (const piece of new Set([...commonPieces, ...own])) {
      const text = `${beginning}${piece.repeat(repetitions)}\u0001`;
      const limit = backtracksPerCharacter * text.length;
      // `^` with the flag m would begin at each line.
      const anchored = flags.includes("m") ? whole.replace(/^\^/, "(?<![^])") : whole;
      // An expression that exceeds its limit matches nothing, and each of these expressions matches every text.
      if (limitedPattern(anchored, kept, limit).exec(text) === null) return [beginning, piece];
    }
  }
  return undefined;
}

function literalsOf(file) {
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  const found = [];
  const walk = (node) => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (typeof node !== "object" || node === null) return;
    if (node.type === "Literal" && node.regex) found.push(node.regex);
    for (const value of Object.values(node)) walk(value);
  };
  walk(program);
  return found;
}

for (const file of process.argv.slice(2)) {
  for (const { pattern, flags } of literalsOf(file)) {
    const text = excess(pattern, flags);
    if (text !== undefined) console.log(JSON.stringify({ file, pattern, text }));
  }
}
