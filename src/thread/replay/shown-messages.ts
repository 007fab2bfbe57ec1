// The newest messages of a branch that a reader is shown: those of a snapshot, and those that a change to another branch adds.

import type { Message } from "#contract/thread-message.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { toMessage } from "#core/record/view.ts";

import { boundedRows } from "../bounded-page.ts";

/** The maximum number of messages, and the maximum number of UTF-16 units of their JSON (`bytes`). */
const bounds = { limit: 200, bytes: 1024 * 1024 };

/** Messages of a branch, oldest first. `more`: older ones did not fit. */
interface ShownMessages {
  messages: Message[];
  more: boolean;
}

/** The newest complete messages of a branch after the position `after`, without silent ones. With `before`, only those stored before that event. */
export function shownMessages(
  store: ThreadStore,
  { branch, after, before = Number.POSITIVE_INFINITY }: { branch: string; after: string; before?: number },
): ShownMessages {
  const { rows, more } = boundedRows(
    (beyond, limit) => store.messages({ branch, order: "desc", includeSilent: false, above: after, limit, beyond }),
    (message) => message.position,
    { ...bounds, beyond: undefined },
  );
  const isShown = ({ status, events: [first] }: MessageRecord) =>
    status === "complete" && (first === undefined || first.seq < before);
  return { messages: rows.filter(isShown).reverse().map(toMessage), more };
}
