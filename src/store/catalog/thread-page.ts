// Builds a page of threads from up to one row more than requested. The extra row shows that another page follows.

import type { Page } from "#contract/list-page.ts";
import type { Thread } from "#contract/thread.ts";

import type { ThreadListQuery } from "./catalog.ts";
import { encodeCursor, listKind } from "./thread-cursor.ts";

/** Returns the page with its cursor. */
export function threadPage(query: ThreadListQuery, found: readonly Thread[]): Page<Thread> {
  const items = found.slice(0, query.limit);
  const last = items.at(-1);
  if (last === undefined || found.length <= query.limit) return { items, next_cursor: null };
  return { items, next_cursor: encodeCursor(listKind(query), { updatedAt: last.updated_at, id: last.id }) };
}
