// The interface of a wire's plain deltas: events that are certainly nothing but the next characters of a text, of thinking or of the
// arguments of a call. Invariant: an event with a field, a type or a value that is not listed is not plain, so a change of a provider's
// format leads back to the provider's package.

import { isObject, type Fields } from "#lib/json-value.ts";
import { parseCountedJson } from "#lib/untrusted/bounded-json.ts";

import type { ChunkFacts } from "../provider-profile.ts";

/** The kind of the package's part for a delta: the part's type is `<kind>-delta`. */
export type DeltaKind = "text" | "reasoning" | "tool-input";

/** A plain delta. */
export interface PlainDelta {
  kind: DeltaKind;
  /** Names the block and the form of the event. Events with one key continue one block, and the package reads them in the same way. */
  key: string;
  /** The characters; never empty. */
  delta: string;
  /** The parsed event. */
  value: Fields;
  facts: ChunkFacts;
}

/** The plain deltas of one wire. */
export interface PlainWire {
  /** Reads the data of an event; null if the event is not plain. */
  read: (data: string) => PlainDelta | null;
  /** The event with other characters: the package reads it in place of several events with the same key. */
  withDelta: (plain: PlainDelta, delta: string) => Fields;
}

/** Tests the value of a field. */
type Check = (value: unknown) => boolean;

/** The accepted fields of an object. Fields may be absent. */
export type Checks = ReadonlyMap<string, Check>;

/** Creates the table of accepted fields. */
export function checks(fields: Record<string, Check>): Checks {
  return new Map(Object.entries(fields));
}

/** Whether each field of an object is accepted. */
export function isAccepted(fields: Fields, accepted: Checks): boolean {
  for (const key of Object.keys(fields)) {
    if (accepted.get(key)?.(fields[key]) !== true) return false;
  }
  return true;
}

export const isString: Check = (value) => typeof value === "string";
export const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
export const isNull: Check = (value) => value === null;
export const isAny =
  (...accepted: Check[]): Check =>
  (value) =>
    accepted.some((check) => check(value));
export const isOnly =
  (...accepted: unknown[]): Check =>
  (value) =>
    accepted.includes(value);

/** The parsed data of an event; null if it is not an object. The values of the event were counted when it arrived (`answer-lines.ts`). */
export function parsedEvent(data: string): Fields | null {
  try {
    const value = parseCountedJson(data);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The only entry of a list, if it is an object. */
export function onlyObject(list: unknown): Fields | null {
  const [only] = Array.isArray(list) && list.length === 1 ? (list as unknown[]) : [];
  return isObject(only) ? only : null;
}
