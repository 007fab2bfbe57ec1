// What was begun to be written in each thread, kept while the page is open, so that a look at another thread loses nothing, and
// through a reload of the page; what is on its way counts as being written until it has arrived. It lies in the tab's storage only
// between the two.

import { useCallback } from "react";

import { createStore, useStore } from "../kit/create-store.ts";

const place = "threadhold-drafts";
const texts = createStore<ReadonlyMap<string, string>>(new Map(taken()));
const onTheirWay = new Map<string, Set<{ text: string }>>();

addEventListener("pagehide", () => {
  const kept = [...new Set([...onTheirWay.keys(), ...texts.get().keys()])].map((key) => {
    const sent = [...(onTheirWay.get(key) ?? [])].map(({ text }) => text);
    return [key, joined([...sent, draftOf(key)])] as const;
  });
  if (kept.length > 0) attempt(() => sessionStorage.setItem(place, JSON.stringify(kept)));
});
// A page that was put aside and comes back has them still.
addEventListener("pageshow", () => attempt(() => sessionStorage.removeItem(place)));

/** The words begun. `key` is a thread's id, or whatever else is written in. */
export function draftOf(key: string): string {
  return texts.get().get(key) ?? "";
}

/** Keeps them. */
export function keepDraft(key: string, text: string): void {
  const after = new Map(texts.get());
  if (text === "") after.delete(key);
  else after.set(key, text);
  texts.set(after);
}

/** Puts words that did not arrive before those that were written since. */
export function returnToDraft(key: string, text: string): void {
  keepDraft(key, joined([text, draftOf(key)]));
}

/** Keeps words that are being sent from getting lost with the page, until the function given back is called. */
export function keepUntilArrived(key: string, text: string): () => void {
  const sent = { text };
  const all = onTheirWay.get(key) ?? new Set();
  onTheirWay.set(key, all.add(sent));
  return () => {
    all.delete(sent);
    if (all.size === 0) onTheirWay.delete(key);
  };
}

/** The words begun, and what changes them. */
export function useDraft(key: string): [string, (text: string) => void] {
  const text = useStore(texts).get(key) ?? "";
  const write = useCallback((next: string) => keepDraft(key, next), [key]);
  return [text, write];
}

function joined(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== "").join("\n");
}

function taken(): [string, string][] {
  return (
    attempt(() => {
      const kept = sessionStorage.getItem(place);
      sessionStorage.removeItem(place);
      return kept === null ? [] : (JSON.parse(kept) as [string, string][]);
    }) ?? []
  );
}

/** A browser that keeps nothing for pages throws; the words stay in memory then. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
