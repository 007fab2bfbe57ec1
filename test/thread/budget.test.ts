// What a thread's work costs in rows, measured by the meter around its storage (architecture §6).

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { scripts } from "../worker/definitions.ts";
import { admin, alarmOf, converse, crash, newThread, stubOf, value } from "./thread-driver.ts";

async function cost(id: string, work: () => Promise<unknown>) {
  const before = await stubOf(id).rows();
  await work();
  const after = await stubOf(id).rows();
  return {
    read: after.rowsRead - before.rowsRead,
    written: after.rowsWritten - before.rowsWritten,
  };
}

/** An answer of so many deltas. */
function long(deltas: number): string[] {
  return Array.from({ length: deltas }, (_, index) => `w${index} `);
}

describe("rows written", () => {
  for (const deltas of [1, 20, 1000, 10_000]) {
    it(`COST1 a text turn of ${deltas} deltas writes at most 10 rows`, async () => {
      const id = await newThread("parallel");
      scripts.set("long", () => ({ text: long(deltas) }));
      const { written } = await cost(id, () => converse(id, "long answer, please"));
      console.log(`text turn, ${deltas} deltas: ${written} rows written`);
      expect(written).toBeLessThanOrEqual(10);
    });
  }

  it("COST2 each tool call costs at most 4 rows, its step included", async () => {
    const spent = [];
    for (const calls of [1, 2, 5]) {
      const id = await newThread("parallel");
      scripts.set("tools", ({ step }) =>
        step === 0
          ? {
              toolCalls: Array.from({ length: calls }, (_, index) => ({
                name: "note",
                arguments: { text: String(index) },
              })),
            }
          : { text: "done" },
      );
      spent.push({ calls, ...(await cost(id, () => converse(id, "tools please"))) });
    }
    console.log(JSON.stringify(spent));
    for (const { calls, written } of spent) expect(written - 10).toBeLessThanOrEqual(4 * calls);
  });

  it("COST3 a text turn costs the same after a long history", async () => {
    const messages = Array.from({ length: 500 }, (_, index) => ({ role: "user", content: `line ${index}` }));
    const id = await newThread("forgetful", { initial_messages: messages });
    const { read, written } = await cost(id, () => converse(id, "hello"));
    console.log(`text turn after 500 messages, none of them sent: ${read} read, ${written} written`);
    expect(written).toBeLessThanOrEqual(10);
    expect(read).toBeLessThanOrEqual(2 + 20);
  });
});

describe("rows read", () => {
  it("COST4 a page of history reads the page and a little, whatever the thread's length", async () => {
    const messages = Array.from({ length: 1000 }, (_, index) => ({ role: "user", content: `line ${index}` }));
    const id = await newThread("parallel", { initial_messages: messages });
    for (const order of ["asc", "desc"] as const) {
      const query = { limit: 50, order, include_silent: false };
      const { read } = await cost(id, () => value(stubOf(id).listMessages(admin, query)));
      console.log(`page of 50 out of 1,000, ${order}: ${read} rows read`);
      expect(read).toBeLessThanOrEqual(50 + 20);
    }
  });

  it("COST5 a cold wake to serve a page reads the page and a little, whatever the thread's length", async () => {
    for (const length of [100, 1000]) {
      const messages = Array.from({ length }, (_, index) => ({ role: "user", content: `line ${index}` }));
      const id = await newThread("parallel", { initial_messages: messages });
      await crash(id);
      await value(stubOf(id).listMessages(admin, { limit: 50, order: "desc", include_silent: false }));
      const { rowsRead, rowsWritten } = await stubOf(id).rows();
      console.log(`cold wake of ${length} messages for a page of 50: ${rowsRead} rows read, ${rowsWritten} written`);
      expect(rowsRead).toBeLessThanOrEqual(50 + 20);
      expect(rowsWritten).toBe(0);
    }
  });

  it("COST6 a step reads the messages it sends and a little", async () => {
    const messages = Array.from({ length: 300 }, (_, index) => ({ role: "user", content: `line ${index}` }));
    const id = await newThread("parallel", { initial_messages: messages });
    const { read } = await cost(id, () => converse(id, "hello"));
    console.log(`step that sends 301 messages: ${read} rows read`);
    expect(read).toBeLessThanOrEqual(301 + 20);
  });
});

describe("wakes", () => {
  it("COST7 a thread at rest has no alarm once its run is in the catalog", async () => {
    const id = await newThread("parallel");
    await converse(id, "hello");
    await vi.waitUntil(async () => (await alarmOf(id)) === null, { timeout: 5000 });
    const listed = await env.CATALOG.prepare("SELECT count(*) AS n FROM run_total WHERE thread_id = ?")
      .bind(id)
      .first<{ n: number }>();
    expect(listed?.n).toBe(1);
  });
});
