// The messages of an owner's feed: changes of the owner's threads. They are not stored. A client that missed one lists the threads
// again, so a subscription cannot be resumed.

import { z } from "zod";

import { threadSchema } from "./thread.ts";

/** Rises from frame to frame of one subscription. A watcher acknowledges it. Other subscriptions have other numbers. */
const seq = z.number().int().positive();

/** The first frame. All later changes follow, so a client that lists the threads now misses nothing. */
const feedStartSchema = z.object({
  seq,
  type: z.literal("feed_start"),
  /** The owner of the threads; null for threads without a user. */
  user_id: z.string().nullable(),
});

/** Shape of every frame. Changes of status are updates like all others. */
export const feedEventSchema = z.discriminatedUnion("type", [
  feedStartSchema,
  z.object({ seq, type: z.literal("thread_created"), thread: threadSchema }),
  z.object({ seq, type: z.literal("thread_updated"), thread: threadSchema }),
  z.object({ seq, type: z.literal("thread_deleted"), thread_id: z.string() }),
]);
export type FeedEvent = z.infer<typeof feedEventSchema>;

type Unnumbered<E> = E extends FeedEvent ? Omit<E, "seq"> : never;

/** A frame without its number. */
export type FeedDraft = Unnumbered<FeedEvent>;

/** A change that a thread sends to its owner's feed. */
export type FeedMessage = Exclude<FeedDraft, { type: "feed_start" }>;
