// A thread of ten thousand messages is exported and imported a page at a time.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { askExport, exported, imported, leftIn, linesOf, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { waitFor } from "./team-driver.ts";
import { admin, converse, message, newThread, stubOf, value } from "./thread-driver.ts";

const count = 10_000;

/** An id that sorts after those with smaller numbers, with a time long ago. */
const idOf = (number: number) => `01000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;

/** Imports a thread. The second half of the file is sent when the messages of the first half are stored. */
async function importedInHalves(id: string, text: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const answer = imported(id, readable);
  const bytes = new TextEncoder().encode(text);
  const half = Math.floor(bytes.length / 2);
  const writer = writable.getWriter();
  await writer.write(bytes.slice(0, half));
  const stored = () =>
    runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) =>
      Number(storage.sql.exec("SELECT count(*) AS n FROM message").one()["n"]),
    );
  await waitFor(async () => (await leftIn(id)).tables.includes("message"));
  await waitFor(async () => (await stored()) > (count / 2) * 0.95);
  await writer.write(bytes.slice(half));
  await writer.close();
  return answer;
}

describe("a long thread", () => {
  it("EXPORT15 An import of 10,000 messages stores the first half before the second arrives, and an export reads its rows while it is received, at most 20% more rows than the thread has messages", async () => {
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
    const answer = await importedInHalves(id, text);
    expect(answer.thread["message_count"]).toBe(count);
    const before = (await stub.rows()).rowsRead;
    const rowsRead = async () => (await stub.rows()).rowsRead - before;
    const reader = (await askExport(id)).body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    for (let pieces = 1; ; pieces += 1) {
      const piece = await reader?.read();
      if (piece?.value === undefined) break;
      received += piece.value;
      // The stream holds some lines that are not received yet.
      if (pieces % 50 === 0) expect(await rowsRead()).toBeLessThan(received.split("\n").length * 1.2 + 200);
    }
    expect(await rowsRead()).toBeLessThan(count * 1.2);
    const again = linesOf(received);
    expect(again.slice(1, -1)).toEqual(linesOf(text).slice(1, -1));
    const query = { limit: 2, order: "desc" as const, include_silent: false };
    const { items, total } = await value(stub.call("listMessages", admin, query));
    expect([items.map(({ content }) => content), total]).toEqual([["said 9999", "said 9998"], count]);
    await converse(id, "and on");
    expect((await value(stub.call("describe", admin))).message_count).toBe(count + 2);
  });
});
