// Converts the transcript with which a thread begins to rows: messages, calls and results that no run of this thread produced.

import { refuse } from "#contract/error.ts";
import type { TranscriptMessage } from "#contract/transcript.ts";
import { messageDraft } from "#core/message-draft.ts";
import type { MessageRecord, StoredPart } from "#core/record.ts";
import { fitResult } from "#core/tools/read-result.ts";

import { transcriptParts } from "../attachments/admit-files.ts";
import type { OpenThread } from "../open-thread.ts";

/** The most UTF-8 bytes of a message (architecture §6). */
const messageLimit = 1024 * 1024;

/** Returns the rows in order, and `claim`, a function to call right before they are written. */
export async function transcriptMessages(
  { context, driver }: Pick<OpenThread, "context" | "driver">,
  transcript: readonly TranscriptMessage[],
): Promise<{ drafts: MessageRecord[]; claim: () => void }> {
  const said = transcript.flatMap((message) => (message.role === "user" ? [message] : []));
  const { messages, claim } = await transcriptParts(context, driver, said);
  const parts = new Map(said.map(({ index }, at) => [index, messages[at] ?? []]));
  const { live, clock } = context;
  const drafts = transcript.map((message) => {
    const of = { id: live.uuids.next(), branch: live.record.branch, at: clock.now() };
    const draft = { ...of, parts: bounded(parts.get(message.index) ?? partsOf(message), message.index) };
    if (message.role === "user") return messageDraft({ ...draft, role: "user" });
    const answer = messageDraft({ ...draft, role: "assistant" });
    if (message.role === "assistant") return { ...answer, stop_reason: message.stop_reason };
    const { stack: _, ...result } = fitResult(message.result);
    const text = result.status === "error" ? (result.error ?? "") : (result.result ?? "");
    const { tool_call_id, name } = message;
    return { ...answer, role: "tool" as const, tool_call_id, name, result, parts: [{ type: "text" as const, text }] };
  });
  return { drafts, claim };
}

function partsOf(message: TranscriptMessage): StoredPart[] {
  return message.role === "assistant" ? message.parts : [];
}

function bounded(parts: StoredPart[], index: number): StoredPart[] {
  const bytes = new TextEncoder().encode(JSON.stringify(parts)).byteLength;
  if (bytes <= messageLimit) return parts;
  const field = `transcript.${index}.content`;
  throw refuse("too_large", `${field} has ${bytes} bytes; at most ${messageLimit} are taken.`, {
    field,
    limit: messageLimit,
  });
}
