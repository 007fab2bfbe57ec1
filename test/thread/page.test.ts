// Pages of large messages: bounded by bytes, and complete together.
import { describe, expect, it } from "vitest";

import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

describe("a page of large messages", () => {
  it("A page of large messages ends at a number of bytes, and the pages together contain every message once", async () => {
    const id = await newThread("parallel");
    const texts = Array.from({ length: 12 }, (_, index) => `${index} ${"x".repeat(1_000_000)}`);
    for (const text of texts) await value(stubOf(id).call("postMessage", admin, message(text, { run: false }), null));
    const received: (string | null)[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const query = { limit: 1000, order: "asc" as const, include_silent: false, cursor };
      const answer = await value(stubOf(id).call("listMessages", admin, query));
      expect(answer.items.length).toBeGreaterThan(0);
      received.push(...answer.items.map(({ content }) => content));
      cursor = answer.next_cursor ?? undefined;
      expect(answer.has_more).toBe(cursor !== undefined);
      pages += 1;
    } while (cursor !== undefined);
    expect(received).toEqual(texts);
    expect(pages).toBeGreaterThan(1);
    const snapshot = await follow(id, { until: "idle" });
    await snapshot.closed;
    expect(JSON.stringify(snapshot.events).length).toBeLessThan(4_000_000);
  });
});
