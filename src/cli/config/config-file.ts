// A configuration file in TOML or JSON that is read and edited. An edit keeps every byte outside of its own insertions and of the values
// that it replaces. After each edit the new text is parsed, and is used only if it has the old content with exactly this change.

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { byteOrderMark, parseConfigText, type ConfigFormat } from "#compiler/wrangler-text.ts";

import { CommandError } from "../context.ts";
import { applySplices, editedValue, handWritten, type ConfigEdit } from "./config-edit.ts";
import { jsonEdits } from "./json-edit.ts";
import { tomlEdits } from "./toml-edit.ts";

export interface ConfigFile {
  path: string;
  format: ConfigFormat;
  text: string;
  /** The content, without comments. */
  value: Readonly<Record<string, unknown>>;
}

/** Reads a file. Throws a `CommandError` that names the mistake of a file that cannot be parsed. */
export function readConfigFile(path: string): ConfigFile {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) {
    // An edit would replace the bytes that are no text.
    throw new CommandError(`${basename(path)} is not encoded as UTF-8. Save it as UTF-8, and run the command again.`);
  }
  return parseConfigFile(path, bytes.toString("utf8"));
}

/** Reads a text as the content of a file. */
export function parseConfigFile(path: string, text: string): ConfigFile {
  const format = extname(path) === ".toml" ? "toml" : "json";
  let value: unknown;
  try {
    value = parseConfigText(format, text);
  } catch (thrown) {
    const [message] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
    const at = thrown instanceof Error && "line" in thrown ? ` in line ${String(thrown.line)}` : "";
    throw new CommandError(
      `${basename(path)} cannot be parsed: ${String(message)}${at}. Correct it, and run the command again.`,
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CommandError(`${basename(path)} has no object at its root. Correct it, and run the command again.`);
  }
  return { path, format, text, value: value as Record<string, unknown> };
}

/** Applies edits in their order. Throws a `CommandError` with the lines to write by hand if one of them cannot be made safely. */
export function editConfigFile(file: ConfigFile, edits: readonly ConfigEdit[]): ConfigFile {
  return edits.reduce(editOnce, file);
}

function editOnce(file: ConfigFile, edit: ConfigEdit): ConfigFile {
  const mark = file.text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = file.text.slice(mark.length);
  const wanted = comparable(editedValue(file.value, edit));
  const ways = wanted === undefined ? [] : (file.format === "toml" ? tomlEdits : jsonEdits)(text, edit);
  for (const splices of ways) {
    const changed = mark + applySplices(text, splices);
    const value = parseOrNothing(file.format, changed);
    if (value !== undefined && isDeepStrictEqual(comparable(value), wanted)) {
      return { ...file, text: changed, value: value as Record<string, unknown> };
    }
  }
  throw new CommandError(
    `${basename(file.path)} writes ${edit.path.join(".")} in a way that cannot be edited safely. Make this change by hand, and run the command again:\n${handWritten(edit, file.format)}`,
  );
}

function parseOrNothing(format: ConfigFormat, text: string): unknown {
  try {
    return parseConfigText(format, text);
  } catch {
    // The text is not valid after this change; the next way to write the change is tried.
    return undefined;
  }
}

/** Content in plain objects. Dates of TOML become texts. */
function comparable(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
