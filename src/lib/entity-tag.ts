// Entity tags and the headers that list them (RFC 9110 §8.8.3, §13.1). Our tags are strong; what a caller lists may be weak.

/** A list of tags, or `*` for anything that is there. */
export type TagCondition = "*" | readonly EntityTag[];

/** One tag as a header names it, its quotes left out. */
export interface EntityTag {
  value: string;
  weak: boolean;
}

const item = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/** Reads `If-Match` or `If-None-Match`. Null where the header is none. */
export function readTagCondition(header: string): TagCondition | null {
  const text = header.trim();
  if (text === "*") return "*";
  if (text === "" || text.endsWith(",")) return null;
  const tags: EntityTag[] = [];
  item.lastIndex = 0;
  while (item.lastIndex < text.length) {
    const match = item.exec(text);
    if (match === null) return null;
    tags.push({ value: match[2] ?? "", weak: match[1] !== undefined });
  }
  return tags;
}

/** The strong comparison, which `If-Match` and `If-Range` ask for: a weak tag never fits. */
export function listsStrongly(tags: readonly EntityTag[], tag: string): boolean {
  return tags.some(({ value, weak }) => !weak && value === tag);
}

/** The weak comparison, which `If-None-Match` asks for. */
export function listsWeakly(tags: readonly EntityTag[], tag: string): boolean {
  return tags.some(({ value }) => value === tag);
}

/** A tag as a header carries it. */
export function quotedTag(tag: string): string {
  return `"${tag}"`;
}
