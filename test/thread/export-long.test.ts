// A thread of ten thousand messages is exported and imported a page at a time.

import { describe, expect, it } from "vitest";

import { askExport, exported, imported, linesOf, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { admin, converse, message, newThread, stubOf, value } from "./thread-driver.ts";

const count = 10_000;

/** An id that sorts after those with smaller numbers, with a time long ago. */
const idOf = (number: number) => `01000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;

describe("a long thread", () => {
  it("EXPORT15 An export of an imported thread of 10,000 messages has every message and reads at most 20% more rows than the thread has messages", async () => {
    const old = await newThread("filer");
    await value(stubOf(old).call("postMessage", admin, message("hello", { run: false }), null));
    const id = crypto.randomUUID();
    const lines = linesOf((await exported(old)).replaceAll(old, id));
    const at = lines.findIndex(({ type }) => type === "message");
    const model = lines[at]?.["message"] as Line;
    const messages = Array.from({ length: count }, (_, number) => {
      const own = { id: idOf(number), position: idOf(number), events: [] };
      return { type: "message", message: { ...model, ...own, parts: [{ type: "text", text: `said ${number}` }] } };
    });
    lines.splice(at, 1, ...messages);
    const text = await sealed(lines);
    const stub = stubOf(id);
    expect((await imported(id, text)).thread["message_count"]).toBe(count);
    const before = (await stub.rows()).rowsRead;
    const again = linesOf(new TextDecoder().decode(await (await askExport(id)).arrayBuffer()));
    expect((await stub.rows()).rowsRead - before).toBeLessThan(count * 1.2);
    expect(again.slice(1, -1)).toEqual(linesOf(text).slice(1, -1));
    const query = { limit: 2, order: "desc" as const, include_silent: false };
    const { items, total } = await value(stub.call("listMessages", admin, query));
    expect([items.map(({ content }) => content), total]).toEqual([["said 9999", "said 9998"], count]);
    await converse(id, "and on");
    expect((await value(stub.call("describe", admin))).message_count).toBe(count + 2);
  });
});
