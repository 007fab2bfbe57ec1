// Texts of files that somebody has begun to change and not saved, kept while the page is open: a look at another file, or another
// thread, loses nothing. Closing the page would, so it asks first.

import { createStore } from "../../kit/create-store.ts";
import type { Store } from "../../kit/create-store.ts";
import type { ReadText } from "../preview/text-bytes.ts";

/** A text that is being changed. */
export interface Draft {
  threadId: string;
  path: string;
  text: string;
  /** As it was read, to tell whether anything changed. */
  base: string;
  /** The tag that it was read with; null where nothing is there any more, and nothing may be when it is written. */
  etag: string | null;
  ends: ReadText["ends"];
  type: string;
}

const store = createStore<readonly Draft[]>([]);

/** The drafts of all threads. */
export const drafts: Pick<Store<readonly Draft[]>, "get" | "subscribe"> = store;

/** Keeps one, in place of the one before it. */
export function keepDraft(draft: Draft): void {
  store.set([...without(draft), draft]);
}

/** Lets one go. */
export function dropDraft(of: Pick<Draft, "threadId" | "path">): void {
  store.set(without(of));
}

/** Whether it holds anything that is not in the file. */
export function isChanged({ text, base }: Draft): boolean {
  return text !== base;
}

function without({ threadId, path }: Pick<Draft, "threadId" | "path">): Draft[] {
  return store.get().filter((one) => one.threadId !== threadId || one.path !== path);
}
