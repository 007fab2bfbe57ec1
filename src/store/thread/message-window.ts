// Reads ranges of messages along a branch: the parts of its ancestors, then its own. Each part is one read by primary key, so a page costs
// the rows that it returns and the hidden ones between them, independent of the thread's length.

import type { MessageCounts, MessageRecord } from "#core/record/record.ts";

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

/** The branches of a thread: the parts of one, and the ids of all. */
interface ThreadBranches {
  path: (branch: string) => BranchStretch[];
  ids: () => string[];
}

/** Creates the reads of several messages. */
export function messageWindow(
  storage: MeteredStorage,
  { path, ids }: ThreadBranches,
): Pick<ManagedThreadStore, "messages" | "messagesAfter" | "everyMessage" | "timeline" | "countMessages"> {
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

  const next = "SELECT position FROM message WHERE branch = ? AND position > ? AND position < ? ORDER BY position";
  const nextPosition = {
    asc: statement<{ position: string }>(storage, `${next} ASC LIMIT 1`),
    desc: statement<{ position: string }>(storage, `${next} DESC LIMIT 1`),
  };
  const count = statement<{ depth: number; silent: number; n: number }>(
    storage,
    "SELECT depth, silent, COUNT(*) AS n FROM message WHERE branch = ? AND position > ? AND position < ? GROUP BY depth, silent",
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
    *timeline({ order, page: limit, beyond }) {
      const isAscending = order === "asc";
      const branches = ids();
      /** For each branch: the position after which (or before which) it is read on, and that of its next message. */
      const heads = new Map<string, { from: string; position: string }>();
      const seek = (branch: string, from: string): void => {
        const bounds: [string, string] = isAscending ? [from, lastKey] : [firstKey, from];
        // The messages of a single branch need no comparison with those of another one.
        const position = branches.length === 1 ? from : nextPosition[order].get(branch, ...bounds)?.position;
        if (position === undefined) heads.delete(branch);
        else heads.set(branch, { from, position });
      };
      for (const branch of branches) seek(branch, beyond ?? (isAscending ? firstKey : lastKey));
      while (heads.size > 0) {
        const [first, second] = [...heads].toSorted(([, left], [, right]) =>
          left.position < right.position === isAscending ? -1 : 1,
        );
        if (first === undefined) return;
        const [branch, { from, position }] = first;
        // An import may contain equal positions on two branches.
        const isEqual = second?.[1].position === position;
        const until = isEqual ? undefined : second?.[1].position;
        const bounds: [string, string] = isAscending ? [from, until ?? lastKey] : [until ?? firstKey, from];
        const rows = page[order].all(branch, ...bounds, 1, anyDepth, isEqual ? 1 : limit);
        let last = from;
        for (const row of rows) {
          const message = decodeBody<MessageRecord>(row.body);
          last = message.position;
          yield message;
        }
        if (branches.length === 1 && rows.length < limit) return;
        seek(branch, last);
      }
    },
    countMessages({ branch, after, upTo }) {
      const counts: MessageCounts = {};
      for (const stretch of path(branch)) {
        const ends = [stretch.upTo, upTo].flatMap((end) => (end === null ? [] : [justAbove(end)]));
        const below = ends.reduce((least, end) => (end < least ? end : least), lastKey);
        if (below <= after) continue;
        for (const { depth, silent, n } of count.all(stretch.branch, after, below)) {
          const known = (counts[depth] ??= [0, 0]);
          known[silent === 1 ? 1 : 0] += n;
        }
      }
      return counts;
    },
  };
}
