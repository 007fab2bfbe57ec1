// What was begun to be written in each thread, kept while the page is open, so that a look at another thread loses nothing.

const texts = new Map<string, string>();

/** The words begun. */
export function draftOf(threadId: string): string {
  return texts.get(threadId) ?? "";
}

/** Keeps them. */
export function keepDraft(threadId: string, text: string): void {
  if (text === "") texts.delete(threadId);
  else texts.set(threadId, text);
}
