// What lists show of a thread that its messages decide: the number of its messages, the text of the last one, and its title if no caller
// set one. Contract: these functions change nothing; they return the changes of the thread's row.

import { changedCounts } from "#core/record/message-counts.ts";
import { titleOfMessage } from "#core/record/message-title.ts";
import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";
import { textOf } from "#core/record/view.ts";
import { textBeginning } from "#lib/text-beginning.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

type Change = Partial<ThreadRecord>;

/** The maximum number of messages that are read to find the last one with text. They are read one at a time, because each may be large. */
const mostRelisted = 50;

/** The change by a new message. `at` is the time of the change. */
export function changeByMessage(record: ThreadRecord, message: MessageRecord, at: number): Change {
  const { counts, last_message, last_position } = record;
  return {
    counts: changedCounts(counts, message, 1),
    last_message: listedText(message) ?? last_message,
    last_position: message.position > last_position ? message.position : last_position,
    updated_at: at,
  };
}

/** The title that a new message gives to a thread without one; null if it gives none. */
export function titleByMessage({ title, titled_by }: ThreadRecord, message: MessageRecord): Change | null {
  const given = title === null && titled_by === undefined ? titleOfMessage(message) : null;
  return given === null ? null : { title: given, titled_by: message.id };
}

/** The title after its message was changed, or deleted (`message` is null); null if it stays. The next message may name a thread without one. */
export function titleByChange({ title }: ThreadRecord, message: MessageRecord | null): Change | null {
  const given = message === null ? null : titleOfMessage(message);
  if (given === title) return null;
  return given === null ? { title: null, titled_by: undefined } : { title: given };
}

/** The maximum number of messages that are read to find one that gives a title: the first message of a user is near the beginning. */
const mostTitles = 20;

/** The title that the first messages of a branch give; the next message may name a thread that has none. */
export function readTitle(store: ManagedThreadStore, branch: string): Change {
  const first = store.messages({ branch, order: "asc", limit: mostTitles, includeSilent: false, maxDepth: 0 });
  for (const message of first) {
    const title = titleOfMessage(message);
    if (title !== null) return { title, titled_by: message.id };
  }
  return { title: null, titled_by: undefined };
}

/** The text of the last message that lists show, read from the rows of a branch. */
export function readLastText(store: ManagedThreadStore, branch: string): string | null {
  let beyond: string | undefined;
  for (let read = 0; read < mostRelisted; read += 1) {
    const [message] = store.messages({ branch, order: "desc", limit: 1, beyond, includeSilent: false });
    if (message === undefined) return null;
    const text = listedText(message);
    if (text !== null) return text;
    beyond = message.position;
  }
  return null;
}

/** The maximum number of UTF-16 units of the text that lists show. */
const listedLength = 300;

/** The text that lists show of a message; null if they skip the message. */
function listedText(message: MessageRecord): string | null {
  const text = message.silent || message.role === "tool" ? null : textOf(message.parts);
  return text === null || !isVisible(text) ? null : textBeginning(text, listedLength);
}
