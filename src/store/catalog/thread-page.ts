// Pages of a list of threads. The cursor of the next page is the position of the last listed thread. Cursors are opaque and valid for one
// kind of list. A cursor contains nothing that its owner has not just received.

import { z } from "zod";

import { refuse } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import type { Page } from "#contract/list-page.ts";
import type { Thread } from "#contract/thread.ts";
import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

import type { ThreadListQuery } from "./catalog.ts";

const listKindSchema = z.enum(["threads", "children", "oldest_threads", "oldest_children"]);

/** Builds a page from up to one row more than requested. The extra row shows that another page follows. */
export function threadPage(query: ThreadListQuery, found: readonly Thread[]): Page<Thread> {
  const items = found.slice(0, query.limit);
  const last = items.at(-1);
  if (last === undefined || found.length <= query.limit) return { items, next_cursor: null };
  return { items, next_cursor: encodeCursor(listKind(query), { updatedAt: last.updated_at, id: last.id }) };
}

/** The cursor of the page after this position. */
export function cursorAfter(query: ThreadListQuery, { updatedAt, id }: ThreadPosition): string {
  return encodeCursor(listKind(query), { updatedAt, id });
}

/** Root threads and child threads are in separate lists, and so are the two orders. */
type ThreadListKind = z.infer<typeof listKindSchema>;

/** The kind of list that a query asks for. */
export function listKind({ parentId, order }: Pick<ThreadListQuery, "parentId" | "order">): ThreadListKind {
  if (order === "oldest") return parentId === undefined ? "oldest_threads" : "oldest_children";
  return parentId === undefined ? "threads" : "children";
}

/** The position of a thread in a list. */
interface ThreadPosition {
  updatedAt: number;
  id: string;
}

const cursorSchema = z
  .object({ list: listKindSchema, updatedAt: z.number().int(), id: z.string().min(1).max(200) })
  .strict();

function broken(): Error {
  return refuse("invalid_request", "`cursor` is not one that this list gave.", { field: "cursor" });
}

/** Encodes a position as a cursor. */
function encodeCursor(list: ThreadListKind, { updatedAt, id }: ThreadPosition): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ list, updatedAt, id }));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function readCursor(text: string): unknown {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return parseBoundedJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes), bodyBounds);
  } catch {
    throw broken();
  }
}

/** Decodes a cursor. Throws `invalid_request` for text that is not a cursor of this kind of list. */
export function decodeCursor(list: ThreadListKind, text: string): ThreadPosition {
  const parsed = cursorSchema.safeParse(readCursor(text));
  if (!parsed.success || parsed.data.list !== list) throw broken();
  return { updatedAt: parsed.data.updatedAt, id: parsed.data.id };
}
