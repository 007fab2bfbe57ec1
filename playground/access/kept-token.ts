// Where a token is while the page is open. In memory alone, unless the visitor asks for this tab to remember it; never where
// another tab, or tomorrow, would find it.

const place = "threadhold.token";

/** What this tab was asked to remember; null for nothing, or where the browser keeps nothing. */
export function keptToken(): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Remembers a token for this tab, or forgets it with null. */
export function keepToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, token);
  } catch {
    // A browser that keeps nothing has nothing to forget either; the token stays in memory.
  }
}
