// Edits JSON with comments as text: a change inserts an entry or replaces one value, and keeps everything else.

import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";

import { jsonOptions } from "#compiler/wrangler-text.ts";

import { addEntry, indentAt, lineEnd, type BracketedList } from "./bracketed-list.ts";
import { jsonValue, type ConfigEdit, type ConfigPath, type ConfigValue, type Splice } from "./config-edit.ts";

/** The longest value that is written on one line. */
const maxLineLength = 80;

interface Source {
  text: string;
  tree: Node;
}

/** The ways to make an edit, best first. None if the value at its path cannot be changed as text. */
export function jsonEdits(text: string, edit: ConfigEdit): Splice[][] {
  const tree = parseTree(text, [], jsonOptions);
  if (tree === undefined) return [];
  const source = { text, tree };
  const { action, path, value } = edit;
  const existing = findNodeAtLocation(tree, [...path]);
  if (existing === undefined) return addValue(source, path, action === "append" ? [value] : value);
  if (action === "append") {
    if (existing.type !== "array") return [];
    return [addEntry(text, listOf(source, existing), written(source, existing, value))];
  }
  if (existing.type === "object" || existing.type === "array") return [];
  const { offset, length } = existing;
  return [[{ start: offset, end: offset + length, text: jsonValue(value) }]];
}

function addValue(source: Source, path: ConfigPath, value: ConfigValue): Splice[][] {
  const { text, tree } = source;
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const holder = findNodeAtLocation(tree, path.slice(0, depth));
    const key = path[depth];
    if (holder === undefined) continue;
    if (holder.type !== "object" || typeof key !== "string") return [];
    const nested = path.slice(depth + 1).reduceRight<ConfigValue>((inner, name) => ({ [name]: inner }), value);
    const entry = `${JSON.stringify(key)}: ${written(source, holder, nested)}`;
    return [addEntry(text, listOf(source, holder), entry)];
  }
  return [];
}

function listOf(source: Source, holder: Node): BracketedList {
  const { offset, length, children = [] } = holder;
  const entries = children.map((child) => ({ start: child.offset, end: child.offset + child.length }));
  const indent = indentOf(source);
  const comment = /\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g;
  return { start: offset, end: offset + length, entries, comment, indent, spread: holder === source.tree };
}

/** A level of indentation. */
function indentOf({ text, tree }: Source): string {
  const first = tree.children?.[0];
  return first === undefined ? "  " : indentAt(text, first.offset) || "  ";
}

/** A value as an entry of a list: on one line if it is short, or if the list is written on one line. */
function written(source: Source, holder: Node, value: ConfigValue): string {
  const { text, tree } = source;
  const line = jsonValue(value);
  const [first] = holder.children ?? [];
  const spread = first === undefined ? holder === tree : text.slice(holder.offset, first.offset).includes("\n");
  if (line.length <= maxLineLength || !spread) return line;
  const indent = indentOf(source);
  const base = first === undefined ? indent : indentAt(text, first.offset);
  return JSON.stringify(value, null, indent).replaceAll("\n", lineEnd(text) + base);
}
