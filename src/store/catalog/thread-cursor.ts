// Where a list of threads goes on: the place of the last thread that was shown. Opaque to callers and bound to the kind of
// list it came from; it holds nothing that its owner has not just been shown.

import { z } from "zod";

import { refuse } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import { parseBoundedJson } from "#lib/bounded-json.ts";

import type { ThreadListQuery } from "./catalog.ts";

/** Lists of root threads and of child threads are ordered apart. */
export type ThreadListKind = "threads" | "children";

/** Which of the two a query asks for. */
export function listKind(query: Pick<ThreadListQuery, "parentId">): ThreadListKind {
  return query.parentId === undefined ? "threads" : "children";
}

/** The place of a thread in a list. */
export interface ThreadPlace {
  updatedAt: number;
  id: string;
}

const cursorSchema = z
  .object({ list: z.enum(["threads", "children"]), updatedAt: z.number().int(), id: z.string().min(1).max(200) })
  .strict();

function broken(): Error {
  return refuse("invalid_request", "`cursor` is not one that this list gave.", { field: "cursor" });
}

/** The cursor of a place. */
export function encodeCursor(list: ThreadListKind, { updatedAt, id }: ThreadPlace): string {
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

/** The place a cursor stands for; throws `invalid_request` for anything that this kind of list did not give. */
export function decodeCursor(list: ThreadListKind, text: string): ThreadPlace {
  const parsed = cursorSchema.safeParse(readCursor(text));
  if (!parsed.success || parsed.data.list !== list) throw broken();
  return { updatedAt: parsed.data.updatedAt, id: parsed.data.id };
}
