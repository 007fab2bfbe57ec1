// The items of an answer of the Responses API, and how events name them. Some servers change the ids of items, and some give all items the
// same number.

import { parseJson, type Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { isText, type Kind } from "./responses-fields.ts";

/** An item of the answer. */
export interface Item {
  kind: Kind;
  /** The id of the item in all repaired events. */
  id: string;
  /** The id that the server gave. */
  givenId: unknown;
  callId: string;
  name: string;
  index: number;
  /** The number that the server gave. Some servers give all items the same. */
  givenIndex: number;
  /** The parts that have begun, by name, and whether they have text. */
  parts: Map<string, boolean>;
  /** The arguments in the event that began the call. */
  first: string;
  /** The arguments of a call that were received in pieces. */
  written: string;
  /** The event that begins the item was passed on. */
  isBegun: boolean;
}

/** Whether an item has the id, or the id of a call, that an event names. */
export function isNamed({ givenId, callId, kind }: Item, { id, call_id }: Fields): boolean {
  return (isText(id) && id === givenId) || (kind === "function_call" && isText(call_id) && call_id === callId);
}

/** Whether fields with the number of an open call begin another call. */
export function isOtherCall({ kind, id, givenId, callId }: Item, fields: Fields): boolean {
  if (kind !== "function_call") return false;
  const { id: other, call_id } = fields;
  if (isText(call_id) && callId !== id) return call_id !== callId;
  return isText(other) && isText(givenId) && other !== givenId;
}

/** Removes and returns the first item that passes a test. */
export function taken(items: Set<Item>, test: (item: Item) => boolean): Item | undefined {
  for (const item of items) {
    if (!test(item)) continue;
    items.delete(item);
    return item;
  }
  return undefined;
}

/** The arguments of a call that has a name and no last event; null if they are incomplete. Decision 22: empty arguments mean `{}`. */
export function wholeArguments({ kind, name, first, written }: Item): string | null {
  if (kind !== "function_call" || name === "") return null;
  const text = written === "" ? first : written;
  return !isVisible(text) || parseJson(text) !== undefined ? text : null;
}
