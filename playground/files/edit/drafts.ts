// Texts of files that somebody has begun to change and not saved, kept while the page is open: a look at another file, or another
// thread, loses nothing. Closing the page would, so it asks first.

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

const listeners = new Set<() => void>();
let drafts: readonly Draft[] = [];

/** Those of all threads; the same list until something changes. */
export function allDrafts(): readonly Draft[] {
  return drafts;
}

/** Calls back whenever the list is another one. */
export function subscribeDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps one, in place of the one before it. */
export function keepDraft(draft: Draft): void {
  put([...without(draft), draft]);
}

/** Lets one go. */
export function dropDraft(of: Pick<Draft, "threadId" | "path">): void {
  put(without(of));
}

/** Whether it holds anything that is not in the file. */
export function isChanged({ text, base }: Draft): boolean {
  return text !== base;
}

function without({ threadId, path }: Pick<Draft, "threadId" | "path">): Draft[] {
  return drafts.filter((one) => one.threadId !== threadId || one.path !== path);
}

function put(next: readonly Draft[]): void {
  drafts = next;
  for (const listener of listeners) listener();
}
