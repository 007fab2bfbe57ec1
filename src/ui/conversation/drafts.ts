// What was begun to be written in each thread, kept while the page is open, so that a look at another thread loses nothing, and
// through a reload of the page. It lies in the tab's storage only between the two.

const place = "threadhold-drafts";
const texts = new Map<string, string>(taken());

addEventListener("pagehide", () => {
  if (texts.size > 0) sessionStorage.setItem(place, JSON.stringify([...texts]));
});
// A page that was put aside and comes back has them still.
addEventListener("pageshow", () => sessionStorage.removeItem(place));

/** The words begun. */
export function draftOf(threadId: string): string {
  return texts.get(threadId) ?? "";
}

/** Keeps them. */
export function keepDraft(threadId: string, text: string): void {
  if (text === "") texts.delete(threadId);
  else texts.set(threadId, text);
}

function taken(): [string, string][] {
  const kept = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  return kept === null ? [] : (JSON.parse(kept) as [string, string][]);
}
