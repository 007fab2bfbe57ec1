// A change of a configuration file, independent of the file's notation: the content after the change, and the lines for a person who makes
// the change by hand.

import type { ConfigFormat } from "#compiler/wrangler-text.ts";

/** A value that both TOML and JSON can write. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** Keys of tables and positions in arrays, from the root of the file. */
export type ConfigPath = readonly (string | number)[];

/** `set` adds a key or replaces its text, number or boolean. `append` adds an element to an array, which is created if it is missing. */
export interface ConfigEdit {
  action: "set" | "append";
  path: ConfigPath;
  value: ConfigValue;
}

/** Replaces a range of a text. An insertion replaces an empty range. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** Applies replacements to a text. They do not overlap. Insertions at the same position keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const lastFirst = splices.toReversed().toSorted((one, other) => other.start - one.start);
  return lastFirst.reduce(
    (result, { start, end, text: put }) => result.slice(0, start) + put + result.slice(end),
    text,
  );
}

/** The content of a file after an edit. Undefined if the path leads through a value that is neither a table nor an array. */
export function editedValue(root: unknown, { action, path, value }: ConfigEdit): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (action === "set") return value;
    if (root === undefined) return [value];
    return Array.isArray(root) ? [...(root as unknown[]), value] : undefined;
  }
  if (typeof key === "number") {
    if (!Array.isArray(root) || key >= root.length) return undefined;
    const changed = editedValue(root[key], { action, path: rest, value });
    return changed === undefined ? undefined : (root as unknown[]).with(key, changed);
  }
  if (root !== undefined && (typeof root !== "object" || root === null || Array.isArray(root))) return undefined;
  const table = (root ?? {}) as Record<string, unknown>;
  const changed = editedValue(Object.hasOwn(table, key) ? table[key] : undefined, { action, path: rest, value });
  return changed === undefined ? undefined : { ...table, [key]: changed };
}

/** A key of TOML, in quotes if it has other characters than those of a bare key. */
const tomlKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

/** Keys of TOML with dots between them. */
export const dottedKey = (path: ConfigPath): string => path.map((key) => tomlKey(String(key))).join(".");

/** A value in TOML, on one line. */
export function tomlValue(value: ConfigValue): string {
  if (typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(tomlValue).join(", ")}]`;
  const pairs = Object.entries(value).map(([key, each]) => `${tomlKey(key)} = ${tomlValue(each)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

/** A value in JSON, on one line. */
export function jsonValue(value: ConfigValue): string {
  if (typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(jsonValue).join(", ")}]`;
  const pairs = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${jsonValue(each)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

function isList(value: ConfigValue): value is readonly ConfigValue[] {
  return Array.isArray(value);
}

/** Whether a value is a table. */
export function isTable(value: ConfigValue): value is { readonly [key: string]: ConfigValue } {
  return typeof value === "object" && !isList(value);
}

/** The lines that a person writes to make the change by hand. */
export function handWritten({ action, path, value }: ConfigEdit, format: ConfigFormat): string {
  if (format === "json") {
    const place = path.join(".");
    return action === "set" ? `set ${place} to ${jsonValue(value)}` : `add to ${place}: ${jsonValue(value)}`;
  }
  if (action === "append" && isTable(value)) return tomlTable(`[[${dottedKey(path)}]]`, value).join("\n");
  const [parent, key] = [path.slice(0, -1), path.slice(-1)];
  const line = `${dottedKey(key)} = ${tomlValue(action === "append" ? [value] : value)}`;
  const header = parent.length === 0 ? [] : [`[${dottedKey(parent)}]`];
  return [...header, action === "append" ? `${line}   # with the elements that it has` : line].join("\n");
}

/** The lines of a table of TOML. */
export function tomlTable(header: string, value: { readonly [key: string]: ConfigValue }): string[] {
  return [header, ...Object.entries(value).map(([key, each]) => `${tomlKey(key)} = ${tomlValue(each)}`)];
}
