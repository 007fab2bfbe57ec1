// Edits TOML as text: a change inserts lines or an element of an array, or replaces one value, and keeps everything else.

import { parseTOML, type AST } from "toml-eslint-parser";

import { addEntry, indentAt, lineEnd, type BracketedList } from "./bracketed-list.ts";
import {
  dottedKey,
  isTable,
  tomlTable,
  tomlValue,
  type ConfigEdit,
  type ConfigPath,
  type ConfigValue,
  type Splice,
} from "./config-edit.ts";

/** The lines below a header, or the lines before the first header. */
interface Section {
  path: ConfigPath;
  pairs: readonly AST.TOMLKeyValue[];
  /** Where the section ends; undefined for the lines before the first header. */
  end?: number;
}

interface Source {
  text: string;
  sections: readonly Section[];
}

/** The ways to make an edit, best first. Some may not be valid for a file that writes its tables in an unusual way. */
export function tomlEdits(text: string, { action, path, value }: ConfigEdit): Splice[][] {
  const source = { text, sections: sectionsOf(text) };
  const { sections } = source;
  const found = findValue(sections, path);
  if (found !== undefined) return editValue(text, found, { action, path, value });
  if (action === "set") return addPair(source, path, value);
  if (!isTable(value)) return addPair(source, path, [value]);
  const block = tomlTable(`[[${dottedKey(path)}]]`, value);
  const neighbour = sections.findLast((section) => section.end !== undefined && startsWith(section.path, path))?.end;
  return [
    ...(neighbour === undefined ? [] : [[blockAfter(text, neighbour, block)]]),
    [blockAtEnd(text, block)],
    ...addPair(source, path, [value]),
  ];
}

function sectionsOf(text: string): Section[] {
  const [top] = parseTOML(text).body;
  const pairs = top.body.filter((each) => each.type === "TOMLKeyValue");
  const tables = top.body.filter((each) => each.type === "TOMLTable");
  return [
    { path: [], pairs },
    ...tables.map(({ resolvedKey, body, range }) => ({ path: resolvedKey, pairs: body, end: range[1] })),
  ];
}

/** A value that is written after a key, and the rest of the path that leads into it. */
interface FoundValue {
  node: AST.TOMLContentNode;
  rest: ConfigPath;
}

function findValue(sections: readonly Section[], path: ConfigPath): FoundValue | undefined {
  for (const section of sections) {
    for (const pair of section.pairs) {
      const full = [...section.path, ...keysOf(pair)];
      if (startsWith(path, full)) return descend(pair.value, path.slice(full.length));
    }
  }
  return undefined;
}

function descend(node: AST.TOMLContentNode, rest: ConfigPath): FoundValue {
  const [key] = rest;
  if (node.type === "TOMLArray" && typeof key === "number") {
    const element = node.elements[key];
    if (element !== undefined) return descend(element, rest.slice(1));
  }
  if (node.type === "TOMLInlineTable") {
    const pair = node.body.find((each) => startsWith(rest, keysOf(each)));
    if (pair !== undefined) return descend(pair.value, rest.slice(keysOf(pair).length));
  }
  return { node, rest };
}

function keysOf({ key }: AST.TOMLKeyValue): string[] {
  return key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
}

function startsWith(path: ConfigPath, beginning: ConfigPath): boolean {
  return beginning.length <= path.length && beginning.every((key, index) => key === path[index]);
}

function editValue(text: string, { node, rest }: FoundValue, { action, value }: ConfigEdit): Splice[][] {
  if (node.type === "TOMLInlineTable" && rest.length > 0) {
    const entry = `${dottedKey(rest)} = ${tomlValue(action === "append" ? [value] : value)}`;
    return [addEntry(text, listOf(node, node.body), entry)];
  }
  if (rest.length > 0) return [];
  if (action === "append") {
    return node.type === "TOMLArray" ? [addEntry(text, listOf(node, node.elements), tomlValue(value))] : [];
  }
  return node.type === "TOMLValue" ? [[{ start: node.range[0], end: node.range[1], text: tomlValue(value) }]] : [];
}

function listOf({ range: [start, end] }: AST.TOMLContentNode, entries: readonly AST.TOMLNode[]): BracketedList {
  return {
    start,
    end,
    comment: /#[^\r\n]*/g,
    indent: "  ",
    entries: entries.map((entry) => ({ start: entry.range[0], end: entry.range[1] })),
  };
}

/** Adds a key with its value: below the header of its table, next to dotted keys of its table, or with a new header. */
function addPair({ text, sections }: Source, path: ConfigPath, value: ConfigValue): Splice[][] {
  const parent = path.slice(0, -1);
  const ways: Splice[][] = [];
  for (const section of sections) {
    if (!startsWith(parent, section.path)) continue;
    const line = `${dottedKey(path.slice(section.path.length))} = ${tomlValue(value)}`;
    const itself = section.path.length === parent.length;
    const last = itself
      ? section.pairs.at(-1)
      : section.pairs.findLast((pair) => startsWith([...section.path, ...keysOf(pair).slice(0, -1)], parent));
    if (last !== undefined) ways.push([lineAfter(text, last.range, line)]);
    else if (itself) {
      const { end } = section;
      ways.push([
        end === undefined ? { start: 0, end: 0, text: line + lineEnd(text) } : lineAfter(text, [end, end], line),
      ]);
    }
  }
  if (parent.length === 0 || !parent.every((key) => typeof key === "string")) return ways;
  return [...ways, [blockAtEnd(text, tomlTable(`[${dottedKey(parent)}]`, { [String(path.at(-1))]: value }))]];
}

function lineAfter(text: string, [start, end]: readonly [number, number], line: string): Splice {
  const position = endOfLine(text, end);
  return { start: position, end: position, text: lineEnd(text) + indentAt(text, start) + line };
}

function blockAfter(text: string, position: number, lines: readonly string[]): Splice {
  const [end, newline] = [endOfLine(text, position), lineEnd(text)];
  return { start: end, end, text: newline + newline + lines.join(newline) };
}

function blockAtEnd(text: string, lines: readonly string[]): Splice {
  const newline = lineEnd(text);
  const before = text === "" ? "" : text.endsWith("\n") ? newline : newline + newline;
  return { start: text.length, end: text.length, text: before + lines.join(newline) + newline };
}

/** The end of a position's line, before its line break. */
function endOfLine(text: string, position: number): number {
  const line = text.indexOf("\n", position);
  if (line === -1) return text.length;
  return text[line - 1] === "\r" ? line - 1 : line;
}
