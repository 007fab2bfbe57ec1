// The unsent text of each thread. It is kept while the page is open and through a reload, so that visiting another
// thread loses nothing. Text that is being sent stays a draft until the server has it. The tab's storage contains
// drafts only during a reload.

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
// A page that returns from the browser's back-forward cache still has the drafts in memory.
addEventListener("pageshow", () => attempt(() => sessionStorage.removeItem(place)));

/** The unsent text. `key` is a thread's id, or names another input. */
export function draftOf(key: string): string {
  return texts.get().get(key) ?? "";
}

/** Stores the text. */
export function keepDraft(key: string, text: string): void {
  const after = new Map(texts.get());
  if (text === "") after.delete(key);
  else after.set(key, text);
  texts.set(after);
}

/** Puts text that could not be sent before the text that was typed meanwhile. */
export function returnToDraft(key: string, text: string): void {
  keepDraft(key, joined([text, draftOf(key)]));
}

/** Keeps text that is being sent until the returned function is called, so that it survives a reload. */
export function keepUntilArrived(key: string, text: string): () => void {
  const sent = { text };
  const all = onTheirWay.get(key) ?? new Set();
  onTheirWay.set(key, all.add(sent));
  return () => {
    all.delete(sent);
    if (all.size === 0) onTheirWay.delete(key);
  };
}

/** The unsent text, and the function that changes it. */
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

/** A browser without storage for pages throws; the text stays in memory then. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
