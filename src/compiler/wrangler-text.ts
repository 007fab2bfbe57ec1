// Reads the text of a wrangler configuration, in TOML, or in JSON with comments and trailing commas.

import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";

/** The names of wrangler's configuration file, in the order in which wrangler looks for them. */
export const wranglerFileNames = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];

/** The notations of a configuration file. JSON may have comments and trailing commas. */
export type ConfigFormat = "toml" | "json";

/** Options of the parser for JSON. */
export const jsonOptions = { allowTrailingComma: true };

export const byteOrderMark = "\uFEFF";

/** Reads a text. Throws an error whose message or `line` names the line of a mistake. */
export function parseConfigText(format: ConfigFormat, text: string): unknown {
  const content = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  return format === "toml" ? parseToml(content) : parseJson(content);
}

function parseJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, jsonOptions);
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split("\n").length;
  throw new SyntaxError(`${printParseErrorCode(first.error)} in line ${String(line)}`);
}
