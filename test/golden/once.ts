// Writes repeated objects of a transcript once. Later occurrences are written as a mark, a hash of the object, so that changing one
// object does not change the marks of others.

import type { Json } from "#contract/json.ts";

import { sorted } from "./normal-form.ts";

/** Shorter objects are repeated in full. */
const shortest = 70;

/** Returns the sections as text. */
export function once(sections: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>();
  const lines = sections.map((section) => section.map(read));
  for (const { value } of lines.flat()) if (value !== null) count(value, counts);
  const received = new Set<string>();
  return lines
    .map((section) =>
      section.map(({ head, value }) => (value === null ? head : head + write(value, { counts, received }))).join("\n"),
    )
    .join("\n\n");
}

/** Splits a line into the text before its JSON, and its JSON. */
function read(line: string): { head: string; value: Json | null } {
  const at = line.search(/ [{[]/) + 1;
  if (at === 0) return { head: line, value: null };
  try {
    return { head: line.slice(0, at), value: JSON.parse(line.slice(at)) as Json };
  } catch {
    return { head: line, value: null };
  }
}

const keyOf = (value: Json): string => JSON.stringify(sorted(value));

const isCounted = (value: Json): value is Json[] | { [key: string]: Json } =>
  typeof value === "object" && value !== null && keyOf(value).length >= shortest;

function count(value: Json, counts: Map<string, number>): void {
  if (!isCounted(value)) return;
  const key = keyOf(value);
  const known = counts.get(key) ?? 0;
  counts.set(key, known + 1);
  // The parts of a repeated object are repeated with it and need no marks.
  if (known === 0) for (const item of Object.values(value)) count(item, counts);
}

function write(value: Json, known: { counts: Map<string, number>; received: Set<string> }): string {
  if (!isCounted(value)) return JSON.stringify(value);
  const key = keyOf(value);
  const isRepeated = (known.counts.get(key) ?? 0) > 1;
  const mark = isRepeated ? `#${markOf(key)}` : "";
  if (known.received.has(key)) return JSON.stringify(mark);
  if (isRepeated) known.received.add(key);
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, known));
    return `[${[...(isRepeated ? [JSON.stringify(`${mark} is`)] : []), ...items].join()}]`;
  }
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${write(item, known)}`);
  return `{${[...(isRepeated ? [`"#":${JSON.stringify(mark)}`] : []), ...fields].join()}}`;
}

/** Six characters of a hash (FNV-1a). */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, "0").slice(-6);
}
