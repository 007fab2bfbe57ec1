// The events of a message that is complete when it is added, such as a user's message.

import type { EventDraft } from "#contract/event.ts";

import type { MessageRecord } from "./record.ts";
import { toMessage } from "./view.ts";

/** The start event and the end event of a complete message. */
export function wholeMessage(message: MessageRecord): EventDraft[] {
  const of = {
    message_id: message.id,
    depth: message.depth,
    ...(message.run_id === null ? {} : { run_id: message.run_id }),
    ...(message.silent ? ({ silent: true } as const) : {}),
  };
  const { role, position } = message;
  return [
    { type: "message_start", ...of, role, position },
    { type: "message_end", ...of, message: toMessage(message) },
  ];
}
