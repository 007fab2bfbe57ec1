// The normal form of a transcript. Ids, times and measured durations are replaced by names, and texts of errors that people read
// are left out. Everything else is unchanged, above all the text that a model reads.

import type { Json, JsonObject } from "#contract/json.ts";

/** Fields that hold measured values. */
const measured = new Set(["duration_ms", "driven_ms", "latency_ms", "time_to_first_token_ms"]);

/** Fields of log rows that people read. */
const forPeople = new Set(["problem", "cause", "stack"]);

/** Milliseconds or microseconds since 1970, of the first half of this century. */
const isTime = (value: number): boolean =>
  Number.isInteger(value) && ((value > 1.5e12 && value < 2.5e12) || (value > 1.5e15 && value < 2.5e15));

/** The value in its normal form. */
export function plain(value: Json, field = ""): Json {
  if (typeof value === "number") {
    if (measured.has(field)) return "<duration>";
    // The path of a chunk depends on the time at which it arrives.
    if (field === "direct" || field === "package") return "<count>";
    return isTime(value) ? "<time>" : value;
  }
  if (typeof value === "string") return plainText(value, field);
  if (Array.isArray(value)) return value.map((item) => plain(item));
  if (typeof value !== "object" || value === null) return value;
  if (isError(value)) return plainError(value);
  const isEnd = value["type"] === "end";
  return mapFields(value, (item, name) => (isEnd && name === "sha256" ? "<hash>" : plain(item, name)));
}

function plainText(text: string, field: string): string {
  if (forPeople.has(field)) return "<words>";
  if (field === "next_cursor") return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  // The fingerprint of an export depends on the times in it.
  if (field === "creation" && text.startsWith("import ")) return text.replace(/[0-9a-f]{64}$/, "<hash>");
  // The first characters are enough to see that a digest changed.
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.slice(0, 8)}…`;
  return /^\d{4}-\d\d-\d\d$/.test(text) ? "<day>" : text;
}

const isError = (value: JsonObject): boolean =>
  typeof value["message"] === "string" && ("code" in value || "kind" in value) && !("role" in value);

/** An error without its texts, the messages about fields and the list of valid names included. */
function plainError(error: Json): Json {
  if (Array.isArray(error)) return error.map(plainError);
  if (typeof error !== "object" || error === null) return plain(error);
  return mapFields(error, (item, name) => (name === "message" || name === "known" ? "<words>" : plainError(item)));
}

function mapFields(value: JsonObject, as: (item: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, as(item ?? null, name)]));
}

/** A value that is no object, as text. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A line of a transcript: a heading, and a value in normal form. */
export const line = (head: string, value: unknown): string => `${head} ${JSON.stringify(plain(value as Json))}`;

/** The value with the fields of every object in the order of the alphabet. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(fields.map(([key, item]) => [key, item === undefined ? null : sorted(item)]));
}

/** Ids of records, tags of files, and the suffix that makes a provider's call id unique. */
const ids =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){2}(?![0-9a-f-])|(?<=_)[0-9a-f]{12}(?![0-9a-f])/g;

/** A time inside a text, for example in a tool result that is JSON. */
const timeInText = /(?<!\d)(?:1[5-9]|2[0-4])\d{11}(?:\d{3})?(?!\d)/g;

/** Replaces ids by names. An id that has no name yet is named where it first appears. */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #texts: [text: string, name: string][] = [];

  /** Gives the id the next number of its kind, unless it has a name. */
  give(kind: string, id: string): void {
    if (this.#names.has(id)) return;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(id, `<${kind} ${String(count)}>`);
  }

  /** Gives a text a name, for example the address of a server. */
  giveText(text: string, name: string): void {
    this.#texts.push([text, name]);
  }

  /** Returns the text with names in place of ids. */
  in(text: string): string {
    const named = this.#texts.reduce((result, [given, name]) => result.replaceAll(given, name), text);
    return named.replaceAll(timeInText, "<time>").replaceAll(ids, (id) => {
      this.give(id.length === 12 ? "call" : id.length === 18 ? "tag" : "id", id);
      return this.#names.get(id) ?? id;
    });
  }
}
