// What becomes of one owner's threads, as whoever watches is told it. Nothing of it is kept: a word that was missed is cured by
// listing, so a subscription has no place to resume at.

import { z } from "zod";

import { threadSchema } from "./thread.ts";

/** Rises from frame to frame of one subscription, and is what a watcher acknowledges. It means nothing on another one. */
const seq = z.number().int().positive();

/** The first frame: from here on nothing is missed, so whoever lists now has everything. */
export const feedStartSchema = z.object({
  seq,
  type: z.literal("feed_start"),
  /** Whose threads are told; null for those without a user. */
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

/** A frame before the subscription numbered it. */
export type FeedDraft = Unnumbered<FeedEvent>;

/** What a thread tells its owner's feed. */
export type FeedWord = Exclude<FeedDraft, { type: "feed_start" }>;
