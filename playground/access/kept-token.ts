// The token in this tab's session storage, where it is stored only if the visitor asks for that. The token is never stored
// where another tab or a later session could read it.

const place = "threadhold.token";

/** The token in this tab's storage; null if there is none, or if the browser stores nothing. */
export function keptToken(): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Stores a token for this tab; null removes it. */
export function keepToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, token);
  } catch {
    // A browser that stores nothing has nothing to remove; the token stays in memory.
  }
}
