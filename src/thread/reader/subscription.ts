// One reader's state: what it wants, how far it is, how much it has not acknowledged. It lives in the socket's attachment,
// so that it outlasts hibernation.

import { z } from "zod";

import type { PlainEvent, ThreadEvent } from "#contract/event.ts";
import { streamLeaseSchema } from "#core/lease.ts";

/** What a reader asked for. */
const wishSchema = z.object({
  types: z.array(z.string()).nullable(),
  depth: z.number().int().nullable(),
  includeSilent: z.boolean(),
  /** Only the events of this run, and an end after them. */
  runId: z.string().nullable(),
  untilIdle: z.boolean(),
});
export type Wish = z.infer<typeof wishSchema>;

/** What the attachment holds. */
export const cursorSchema = z.object({
  wish: wishSchema,
  /** Everything up to here was considered for this reader. */
  cursor: z.number().int(),
  /** Number of the last frame that was sent. */
  prev: z.number().int(),
  acknowledged: z.boolean(),
  /** Characters of the frames that it has not acknowledged, the last of them `prev`. */
  unacknowledged: z.number().int().optional(),
  /** Characters that were not sent since its last acknowledgement, because its window was full. */
  withheld: z.number().int().optional(),
  /** The snapshot that begins the subscription is still to be sent. */
  wantsSnapshot: z.boolean().optional(),
  /** The expiry of its credentials, in microseconds since epoch; absent if they do not expire. */
  endsAt: z.number().optional(),
  /** The lease of this stream. */
  lease: streamLeaseSchema.optional(),
});
export type Cursor = z.infer<typeof cursorSchema>;

/** Readers with equal wishes share one serialised frame. */
export function wishKey(wish: Wish): string {
  return JSON.stringify([wish.types, wish.depth, wish.includeSilent, wish.runId]);
}

/** Whether a reader wants an event. */
export function wants(wish: Wish, event: ThreadEvent): boolean {
  if (wish.runId !== null && event.run_id !== wish.runId) return false;
  if (event.type === "snapshot") return true;
  if (wish.types !== null && !wish.types.includes(event.type)) return false;
  if (wish.depth !== null && (event.depth ?? 0) > wish.depth) return false;
  return wish.includeSilent || event.silent !== true;
}

/** Whether nothing comes after this event for a reader of one run. */
export function endsRun(wish: Wish, event: PlainEvent): boolean {
  return (
    wish.runId !== null &&
    event.run_id === wish.runId &&
    (event.type === "run_end" || (event.type === "awaiting_tool_execution" && event.tool_calls.length > 0))
  );
}
