// The items of an answer of the Responses API, and how events name them. Some servers change the ids of items, and some give all items the
// same number.

import { fieldsOf, listOf, parseJson, textOrJson, type Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { assertFew, mostInAnswer, mostOpenItems, mostUnseenItems } from "./answer-bounds.ts";
import { isText, textOf, type Kind } from "./responses-fields.ts";

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

/** Creates an item from the fields of its first event. */
export function createItem(
  { id: givenId, call_id, name, arguments: first }: Fields,
  names: Pick<Item, "kind" | "id" | "index" | "givenIndex">,
): Item {
  return {
    ...names,
    givenId,
    callId: isText(call_id) ? call_id : names.id,
    name: textOf(name),
    parts: new Map(),
    first: textOrJson(first ?? ""),
    written: "",
    isBegun: false,
  };
}

/** Throws if an answer has more items than are read. The open items are searched for each event. */
export function assertFewItems({ all, open, unseen }: Record<"all" | "open" | "unseen", number>): void {
  assertFew(unseen, "an answer with too many items that began without an event", mostUnseenItems);
  assertFew(all, "an answer with too many items", mostInAnswer);
  assertFew(open, "an answer with too many open items", mostOpenItems);
}

/** The items in the list of a complete answer. Throws if there are more than are read. */
export function outputOf(response: Fields): Fields[] {
  const output = listOf(response["output"]);
  assertFew(output.length, "an answer with too many items", mostInAnswer);
  return output.map(fieldsOf);
}

/** Notes that a part of an item has begun, or has text. Throws if the item has more parts than are read. */
export function beginPart({ parts }: Item, name: string, hasText: boolean): void {
  parts.set(name, hasText);
  assertFew(parts.size, "an item with too many parts", mostInAnswer);
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
