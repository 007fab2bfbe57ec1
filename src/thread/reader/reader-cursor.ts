// The filter and the cursor of a subscription, as the attachment of its socket stores them.

import { z } from "zod";

import { streamLeaseSchema } from "#core/rpc/lease.ts";

/** The filter of a subscriber's events. Null means no restriction. */
const eventFilterSchema = z.object({
  types: z.array(z.string()).nullable(),
  depth: z.number().int().nullable(),
  includeSilent: z.boolean(),
  /** Only events of this run are sent, and the subscription ends after the last of them. */
  runId: z.string().nullable(),
  /** Whether the subscription ends when the thread is idle. */
  untilIdle: z.boolean(),
});
export type EventFilter = z.infer<typeof eventFilterSchema>;

/** The state of a subscription, as the socket's attachment stores it. */
export const cursorSchema = z.object({
  filter: eventFilterSchema,
  /** Every event up to this number was sent to the reader or excluded by the filter. */
  cursor: z.number().int(),
  /** Number of the last frame that was sent. */
  prev: z.number().int(),
  /** Whether the reader has acknowledged any frame. */
  acknowledged: z.boolean(),
  /** Characters of the frames that the reader has not acknowledged; `prev` is the number of the last of them. */
  unacknowledged: z.number().int().optional(),
  /** Characters that were not sent since the reader's last acknowledgement, because its window was full. */
  withheld: z.number().int().optional(),
  /** Whether the subscription's first frame, a snapshot, has not been sent yet. */
  wantsSnapshot: z.boolean().optional(),
  /** The expiry of the reader's credentials, in microseconds since epoch; absent if they do not expire. */
  endsAt: z.number().optional(),
  /** The lease of this stream, its user's right to one open stream (`core/rpc/lease.ts`). */
  lease: streamLeaseSchema.optional(),
});
export type Cursor = z.infer<typeof cursorSchema>;
