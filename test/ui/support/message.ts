// A message as a subscriber sees it, with default values for the fields that a test does not set.

import type { MessageView } from "#client/index.ts";

import { messageRecord } from "../../support/records.ts";

/** An assistant message whose text is its id. */
export function message(id: string, more: Partial<MessageView> = {}): MessageView {
  return {
    ...messageRecord({ id, role: "assistant", content: id, created_at: 1, position: id, run_id: "run" }),
    parts: [{ type: "text", text: id }],
    streaming: false,
    ...more,
  };
}
