// A fetch for tests that answer requests in the same process. A request that breaks the rules of its protocol fails its test.

import { expect } from "vitest";

import { brokenOnPurpose, requestProblems, wireOf } from "./request-problems.mjs";

/** A fetch that checks the body of each request before `fetch` receives it. */
export function checkedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const checked: typeof globalThis.fetch = (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const wire = wireOf(input instanceof Request ? input.url : String(input));
    // Requests of no protocol, such as those for access tokens, have other bodies.
    const body: unknown = wire !== null && typeof init?.body === "string" ? JSON.parse(init.body) : null;
    // A soft assertion fails the test although the model port catches what its fetch throws.
    const isOnPurpose = new Headers(init?.headers).has(brokenOnPurpose);
    if (wire !== null && !isOnPurpose) expect.soft(requestProblems(wire, body)).toEqual([]);
    return fetch(input as never, init);
  };
  return checked;
}
