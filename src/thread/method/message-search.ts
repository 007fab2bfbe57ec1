// Searches the text of a thread's messages, newest first, and writes nothing. Thinking, and the arguments and results of calls, are not
// searched. A page ends after a bounded number of rows, including hidden messages and messages without a match. The next page begins before
// the position of the last row, so that it misses no message that existed already.

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { refuse } from "#contract/error.ts";
import { searchMessagesSchema } from "#contract/search-route.ts";
import type { MessageHit, MessageHits, SearchMessages } from "#contract/search-route.ts";
import type { Role } from "#contract/thread-message.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { textOf } from "#core/record/view.ts";
import { textFinder } from "#lib/text-search.ts";
import { WorkSlices } from "#lib/work-slices.ts";

import type { LiveThread } from "../live/live-thread.ts";
import { fileJson } from "./file-json.ts";
import type { OpenThread } from "./loaded-thread.ts";
import { knownBranch } from "./thread-messages.ts";

/** The maximum number of rows that a page searches, and the maximum number of UTF-16 units of their JSON. */
const pageRows = 20_000;
const pageUnits = 32 * 1024 * 1024;

/**
 * `batch`: the number of rows that one query reads. `sliceWork`: the UTF-16 units of JSON that are searched between two pauses. `rowWork`:
 * the units that each row counts in addition to its JSON.
 */
const batch = 10;
const sliceWork = 1024 * 1024;
const rowWork = 500;

/** The roles whose messages are searched. Tool results and extension messages are data, and are not searched. */
const speakers: ReadonlySet<Role> = new Set(["user", "assistant", "system"]);

/** Responds to the Worker's request for a page of matches. The search ends when the request is aborted. */
export async function serveMessageSearch(
  { live, searches }: Pick<OpenThread, "live" | "searches">,
  incoming: Request,
  url: URL,
): Promise<Response> {
  const query = searchMessagesSchema.parse(Object.fromEntries(url.searchParams));
  return fileJson(await searches.search(incoming, (signal) => searchMessages(live, query, signal)));
}

/** A page of matches. Rejects with the signal's reason when the signal is aborted. */
async function searchMessages(live: LiveThread, query: SearchMessages, signal: AbortSignal): Promise<MessageHits> {
  const branch = knownBranch(live, query.branch);
  const list = `messages-search ${live.record.id}`;
  let beyond = query.cursor === undefined ? undefined : decodeCursor(query.cursor, list);
  const next = () => encodeCursor(beyond ?? "", list);
  const find = textFinder(query.q);
  const slices = new WorkSlices(sliceWork, signal);
  const hits: MessageHit[] = [];
  let rows = 0;
  let units = 0;
  for (;;) {
    // Silent and nested messages are skipped here and not by the store, which would read any number of them in one call.
    const asked = Math.min(batch, pageRows - rows);
    const records = live.store.messages({ branch, order: "desc", limit: asked, beyond, includeSilent: true });
    let isFull = false;
    for (const record of records) {
      if (hits.length === query.limit || units >= pageUnits) {
        return { hits, next_cursor: next() };
      }
      const size = JSON.stringify(record).length;
      units += size;
      isFull = slices.count(size + rowWork) || isFull;
      const hit = isSearched(record, query) ? find(textOf(record.parts) ?? "") : null;
      if (hit !== null) hits.push({ ...placeOf(record), ...hit });
      beyond = record.position;
    }
    rows += records.length;
    if (records.length < asked) return { hits, next_cursor: null };
    if (rows >= pageRows) return { hits, next_cursor: next() };
    if (isFull) await slices.next();
    if (live.retired) throw refuse("thread_not_found", "There is no such thread.");
  }
}

function isSearched({ role, silent, depth }: MessageRecord, query: SearchMessages): boolean {
  if (silent && !query.include_silent) return false;
  return speakers.has(role) && (query.max_depth === undefined || depth <= query.max_depth);
}

function placeOf({ id, position, created_at, role }: MessageRecord) {
  return { message_id: id, position, created_at, role };
}
