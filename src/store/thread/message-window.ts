// Reads ranges of messages along a branch: the parts of its ancestors, then its own. Each part is one read by primary key, so a page costs
// the rows that it returns and the hidden ones between them, independent of the thread's length.

import type { MessageRecord } from "#core/record/record.ts";

import type { BranchStretch } from "../branch-path.ts";
import { firstKey, justAbove, lastKey } from "../key-range.ts";
import type { MeteredStorage } from "../meter.ts";
import { decodeBody } from "../row-body.ts";
import type { ManagedThreadStore } from "../thread-lifecycle.ts";
import { statement } from "./statement.ts";

/** SQLite reads a limit of -1 as no limit. */
const noLimit = -1;
const anyDepth = Number.MAX_SAFE_INTEGER;

/** The bounds and filters of a read, which apply to every part of the branch. */
interface Window {
  order: "asc" | "desc";
  limit: number;
  above: string;
  below: string;
  includeSilent: boolean;
  maxDepth: number;
}

/** Creates the reads of several messages. `path` returns the parts of a branch. */
export function messageWindow(
  storage: MeteredStorage,
  path: (branch: string) => BranchStretch[],
): Pick<ManagedThreadStore, "messages" | "messagesAfter" | "everyMessage"> {
  const part =
    "SELECT body FROM message WHERE branch = ? AND position > ? AND position < ? AND silent <= ? AND depth <= ? ORDER BY position";
  const page = {
    asc: statement(storage, `${part} ASC LIMIT ?`),
    desc: statement(storage, `${part} DESC LIMIT ?`),
  };
  const every = statement(
    storage,
    "SELECT body FROM message WHERE (branch, position) > (?, ?) ORDER BY branch, position LIMIT ?",
  );

  const read = (stretches: BranchStretch[], window: Window): MessageRecord[] => {
    const { order, limit, above, maxDepth } = window;
    const found: MessageRecord[] = [];
    for (const stretch of order === "asc" ? stretches : stretches.toReversed()) {
      const remaining = limit === noLimit ? noLimit : limit - found.length;
      if (remaining === 0) break;
      const end = stretch.upTo === null ? lastKey : justAbove(stretch.upTo);
      const below = end < window.below ? end : window.below;
      if (below <= above) continue;
      const mostSilent = window.includeSilent ? 1 : 0;
      const rows = page[order].all(stretch.branch, above, below, mostSilent, maxDepth, remaining);
      for (const row of rows) found.push(decodeBody<MessageRecord>(row.body));
    }
    return found;
  };

  return {
    everyMessage({ after, limit }) {
      const { branch, position } = after ?? { branch: firstKey, position: firstKey };
      return every.all(branch, position, limit).map((row) => decodeBody<MessageRecord>(row.body));
    },
    messages(query) {
      const { branch, order, limit, beyond, includeSilent, maxDepth = anyDepth } = query;
      const above = (order === "asc" ? beyond : query.above) ?? firstKey;
      const below = order === "desc" ? (beyond ?? lastKey) : lastKey;
      return read(path(branch), { order, limit, above, below, includeSilent, maxDepth });
    },
    messagesAfter(branch, position) {
      const window = { order: "asc", limit: noLimit, above: position, below: lastKey } as const;
      return read(path(branch), { ...window, includeSilent: true, maxDepth: anyDepth });
    },
  };
}
