// The ids of the events of a stream. An id contains what is needed to continue the stream in another isolate: the run, the request that it
// answers, and the number of the thread's last event.

import { z } from "zod";

import { bodyBounds } from "#contract/json.ts";
import { fromBase64, toBase64 } from "#lib/base64.ts";
import { decodeText } from "#lib/text-type.ts";
import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";
import { threadUuidText } from "#lib/uuid-text.ts";

import { requestIdSchema } from "./rpc-message.ts";

/** The progress token of a request. The client chose it. */
export const progressTokenSchema = requestIdSchema;

const positionSchema = z.object({
  threadId: z.string().refine((id) => threadUuidText(id) === id),
  runId: z.string().min(1).max(200),
  requestId: requestIdSchema,
  progressToken: progressTokenSchema.nullable(),
  // For a greater number, `seq + 1` would not be a safe integer.
  seq: z
    .number()
    .int()
    .nonnegative()
    .max(Number.MAX_SAFE_INTEGER - 1),
});
/** A position in the stream of a request. */
export type StreamPosition = z.infer<typeof positionSchema>;

/** The id of an event. */
export function eventId(position: StreamPosition): string {
  const { threadId, runId, requestId, progressToken, seq } = position;
  return toBase64(new TextEncoder().encode(JSON.stringify({ threadId, runId, requestId, progressToken, seq })));
}

/** The position that an id names; null for a text that is no id of this server. */
export function readEventId(text: string): StreamPosition | null {
  const bytes = text.length > 4000 ? null : fromBase64(text);
  const json = bytes === null ? null : decodeText(bytes);
  try {
    return positionSchema.parse(parseBoundedJson(json ?? "", bodyBounds));
  } catch {
    return null;
  }
}
