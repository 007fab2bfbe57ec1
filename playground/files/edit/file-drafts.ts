// Unsaved texts of files. They are kept while the page is open, so that visiting another file or thread loses nothing.
// Closing the page would lose them, so the browser asks the user first (`leave-guard.ts`).

import { createStore } from "../../kit/create-store.ts";
import type { Store } from "../../kit/create-store.ts";
import type { ReadText } from "../preview/text-bytes.ts";

/** The unsaved text of a file. */
export interface Draft {
  threadId: string;
  path: string;
  text: string;
  /** The text as it was read, to find out whether it was changed. */
  base: string;
  /** The etag of the read version; null if the file does not exist, and may not exist when it is written. */
  etag: string | null;
  ends: ReadText["ends"];
  type: string;
}

const store = createStore<readonly Draft[]>([]);

/** The drafts of all threads. */
export const drafts: Pick<Store<readonly Draft[]>, "get" | "subscribe"> = store;

/** Stores a draft; it replaces an earlier one of the same file. */
export function keepDraft(draft: Draft): void {
  store.set([...without(draft), draft]);
}

export function dropDraft(of: Pick<Draft, "threadId" | "path">): void {
  store.set(without(of));
}

/** Whether the draft differs from the file. */
export function isChanged({ text, base }: Draft): boolean {
  return text !== base;
}

function without({ threadId, path }: Pick<Draft, "threadId" | "path">): Draft[] {
  return store.get().filter((one) => one.threadId !== threadId || one.path !== path);
}
