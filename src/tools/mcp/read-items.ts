// Reads lists of a server one element at a time: an element that cannot be read is left out with its name and the reason, and the others
// stay. The number of elements that are read, and of reasons that are kept, is bounded, because a list is untrusted.

import { isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { outsideText } from "../outside-text.ts";
import { ProtocolMismatch } from "./server-error.ts";

/** An element that is left out. */
export interface Omitted {
  name: string;
  problem: string;
}

/** The elements of a list. */
export interface ReadItems<T> {
  items: T[];
  omitted: OmittedItems;
}

/** The maximum number of kept reasons of a list, and the maximum lengths of a name and of a reason. */
const mostKept = 50;
const nameLimit = 100;
const problemLimit = 300;

/** The elements of a list that are left out: the first ones with their reasons, and the number of all. */
export class OmittedItems {
  readonly kept: Omitted[] = [];
  count = 0;

  add(name: string, problem: string): void {
    this.count += 1;
    if (this.kept.length >= mostKept) return;
    this.kept.push({ name: outsideText(name, nameLimit), problem: outsideText(problem, problemLimit) });
  }

  /** Adds elements after the last one that is read. */
  addUnread(kind: string, count: number, most: number): void {
    if (count <= 0) return;
    this.count += count - 1;
    const name = count === 1 ? `one more ${kind}` : `${count} more ${kind}s`;
    this.add(name, `Only the first ${most} of a list are read.`);
  }

  /** The elements in one line of text; empty if none is left out. */
  get text(): string {
    const shown = this.kept.slice(0, 10).map(({ name, problem }) => `${name}: ${problem}`);
    const more = this.count - shown.length;
    return [...shown, ...(more > 0 && shown.length > 0 ? [`and ${more} more`] : [])].join(" ");
  }
}

/** Thrown by the reader of an element that has to be left out. The message is the reason. */
export class UnreadableItem extends Error {}

/** How the elements of a list are read. */
interface ItemReader<T> {
  /** The name of the list in its response, such as `tools`. */
  list: string;
  /** The name of an element, such as `tool`. */
  kind: string;
  /** The maximum number of elements that are read. */
  most: number;
  /** Throws an `UnreadableItem` for an element that is left out. */
  read: (item: Fields) => T;
  /** The name of an element, if it has one that can be read. */
  nameOf: (item: Fields) => unknown;
}

/** Returns a list. Some servers send null or `{}` for an empty one. Throws a `ProtocolMismatch` for any other value. */
export function listIn(given: unknown, name: string): readonly unknown[] {
  if (Array.isArray(given)) return given as unknown[];
  const isEmpty = given === undefined || given === null || (isObject(given) && Object.keys(given).length === 0);
  if (!isEmpty) throw new ProtocolMismatch(`\`${name}\` is no list`);
  return [];
}

/** The position of the page after a page of a list; empty if there is none. Some servers send a number. */
export function cursorIn({ nextCursor }: Fields): string | number {
  return typeof nextCursor === "string" || typeof nextCursor === "number" ? nextCursor : "";
}

/** Reads the elements of a list, as `listIn` returns them. */
export function readItems<T>(given: unknown, { list, kind, most, read, nameOf }: ItemReader<T>): ReadItems<T> {
  const all = listIn(given, list);
  const items: T[] = [];
  const omitted = new OmittedItems();
  for (const [index, item] of all.slice(0, most).entries()) {
    const place = `${kind} ${index + 1}`;
    if (!isObject(item)) {
      omitted.add(place, "It is no object.");
      continue;
    }
    try {
      items.push(read(item));
    } catch (thrown) {
      if (!(thrown instanceof UnreadableItem)) throw thrown;
      const name = nameOf(item);
      omitted.add(typeof name === "string" && name !== "" ? name : place, thrown.message);
    }
  }
  omitted.addUnread(kind, all.length - most, most);
  return { items, omitted };
}

/** Returns a field that has to be a text of at most `limit` UTF-16 units and at least one. Throws an `UnreadableItem`. */
export function neededText(item: Fields, field: string, limit: number): string {
  const value = item[field];
  if (typeof value !== "string" || value === "") throw new UnreadableItem(`\`${field}\` is no text.`);
  if (value.length > limit) throw new UnreadableItem(`\`${field}\` has more than ${limit} characters.`);
  return value;
}

/** Returns a field if it is a text; otherwise undefined. */
export function textIn(item: Fields, field: string): string | undefined {
  const value = item[field];
  return typeof value === "string" ? value : undefined;
}
