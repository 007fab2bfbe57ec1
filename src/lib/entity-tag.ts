// Entity tags and the headers that list them (RFC 9110 §8.8.3, §13.1). This server's tags are strong; a client's may be weak.

/** A list of tags, or `*` for any existing representation. */
export type TagCondition = "*" | readonly EntityTag[];

/** One tag of a header, without its quotes. */
export interface EntityTag {
  value: string;
  weak: boolean;
}

const item = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/** Reads `If-Match` or `If-None-Match`; null if the header is invalid. */
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

/** The strong comparison of `If-Match` and `If-Range`: a weak tag never matches. */
export function listsStrongly(tags: readonly EntityTag[], tag: string): boolean {
  return tags.some(({ value, weak }) => !weak && value === tag);
}

/** The weak comparison of `If-None-Match`. */
export function listsWeakly(tags: readonly EntityTag[], tag: string): boolean {
  return tags.some(({ value }) => value === tag);
}

/** A tag in the form of a header. */
export function quotedTag(tag: string): string {
  return `"${tag}"`;
}
