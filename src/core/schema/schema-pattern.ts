// Patterns of JSON Schemas: regular expressions of JavaScript, which anybody may have written. They run in an engine with linear time. A
// pattern that this engine does not have (looking ahead or behind, references to groups), and one that is too large, is not checked.

import { RE2JS, RE2JSException } from "re2js";

import type { SchemaWork } from "./schema-work.ts";
import { classSize, unfoldedSize } from "./unfolded-pattern.ts";

/** The maximum number of UTF-16 units of a pattern, and of the instructions that its repetitions may expand to. */
const mostUnits = 1000;
const mostInstructions = 2000;

/** Flags inside a pattern, which the JavaScript of JSON Schema does not have. Without case a class takes much more work. */
const inlineFlags = /\(\?[a-zA-Z-]+[:)]/;

/** How many comparisons it takes to compile one instruction, and how many steps of a match count as one comparison. */
const compiling = 150;
const stepsEach = 4;

/** A compiled pattern. */
export interface SchemaPattern {
  /** Whether the pattern matches a part of the text. */
  test(text: string): boolean;
}

/** Compiles a pattern. Null if it is not checked. */
export function schemaPattern(source: string, work: SchemaWork): SchemaPattern | null {
  if (source.length > mostUnits || inlineFlags.test(source)) return null;
  work.spend(source.length);
  const translated = linearPattern(source);
  const size = unfoldedSize(translated);
  const classes = classSize(source);
  if (Math.max(size, classes) > mostInstructions) return null;
  work.spend((size + classes) * compiling);
  try {
    const pattern = RE2JS.compile(translated);
    const instructions = pattern.programSize();
    return {
      test: (text) => {
        work.spend(Math.ceil(((text.length + 8) * instructions) / stepsEach));
        return pattern.matcher(text).find();
      },
    };
  } catch (thrown) {
    if (thrown instanceof RE2JSException) return null;
    throw thrown;
  }
}

/** The white space of JavaScript, and all other characters, as ranges of a class. */
const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const notSpace =
  String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
  String.raw`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

/** What JavaScript and the engine write differently, outside of a class and inside. */
const outside: Record<string, string> = {
  ".": String.raw`[^\n\r\x{2028}\x{2029}]`,
  "\\s": `[${space}]`,
  "\\S": `[${notSpace}]`,
  "[]": String.raw`[^\x{0}-\x{10ffff}]`,
  "[^]": String.raw`[\x{0}-\x{10ffff}]`,
};
const inside: Record<string, string> = { "\\s": space, "\\S": notSpace, "\\b": String.raw`\x{8}`, "[": String.raw`\[` };

/** Escapes of JavaScript: a code unit or a character by its number, a control character, NUL, and a category with its long name. */
const numbered = /^\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|c([a-zA-Z])|(0))$/;
/** Long names of categories, for which the engine has only the short ones. */
const categories: Record<string, string> = {
  Letter: "L",
  Uppercase_Letter: "Lu",
  Lowercase_Letter: "Ll",
  Mark: "M",
  Number: "N",
  Decimal_Number: "Nd",
  digit: "Nd",
  Punctuation: "P",
  punct: "P",
  Symbol: "S",
  Separator: "Z",
  Space_Separator: "Zs",
  Other: "C",
};
const category = /^\\([pP])\{(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)?(\w+)\}$/;

/** A unit of a pattern: an empty class, an escape, or a character. */
const unit =
  /\[\^?\](?!\])|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[a-zA-Z]|\\[pP]\{[^}]*\}|\\[^]|[^]/gu;

/** The pattern in the engine's syntax. */
function linearPattern(source: string): string {
  let isInClass = false;
  let isFirst = false;
  let result = "";
  for (const [text] of source.matchAll(unit)) {
    const isEmptyClass = text.startsWith("[") && text.endsWith("]");
    if (isInClass && isEmptyClass) {
      // Inside a class these are characters, and the last one ends it.
      result += `\\[${text.includes("^") ? "^" : ""}]`;
      isInClass = false;
      continue;
    }
    if (isInClass && text === "]" && !isFirst) isInClass = false;
    else if (!isInClass && text === "[") {
      isInClass = true;
      isFirst = true;
      result += text;
      continue;
    }
    const names = isInClass ? inside : outside;
    result += (Object.hasOwn(names, text) ? names[text] : undefined) ?? escaped(text);
    if (!(isFirst && text === "^")) isFirst = false;
  }
  return result;
}

function escaped(text: string): string {
  if (!text.startsWith("\\")) return text;
  if (text.length === 12)
    return text.replaceAll(/\\u(.{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  const named = category.exec(text);
  if (named !== null) return `\\${named[1]}{${categories[named[2] ?? ""] ?? named[2]}}`;
  const [, point, code, byte, control, nul] = numbered.exec(text) ?? [];
  const digits = point ?? code ?? byte ?? (nul === undefined ? undefined : "0");
  if (digits !== undefined) return `\\x{${digits}}`;
  return control === undefined ? text : `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
}
