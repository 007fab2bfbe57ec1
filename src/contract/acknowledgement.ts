// The message by which a reader acknowledges events in the subscriber protocol (architecture §5.7).

import { z } from "zod";

import { parseBoundedOrNull } from "#lib/untrusted/bounded-json.ts";

/** The reader has received everything up to `seq`. Sent at once after the first event, then at least after every 64 KiB or every second. */
const acknowledgementSchema = z.object({ type: z.literal("ack"), seq: z.number().int().nonnegative() }).strict();

/** Bounds of a frame of a reader. */
const frameBounds = { values: 10, depth: 2 };
const longestFrame = 200;

/** The number that a frame of a reader acknowledges; null for any other frame. */
export function readAcknowledgement(text: string): number | null {
  if (text.length > longestFrame) return null;
  return acknowledgementSchema.safeParse(parseBoundedOrNull(text, frameBounds)).data?.seq ?? null;
}
