// A thread that reports everything to the catalog again: lost entries are restored, and nothing is counted twice.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { waitFor } from "./team-driver.ts";
import { admin, converse, evict, message, newThread, stubOf, value } from "./thread-driver.ts";

const rowsOf = async (table: string, column: string, id: string) => {
  const statement = env.CATALOG.prepare(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY 1, 2`).bind(id);
  return (await statement.all()).results;
};
const known = async (id: string) => ({
  thread: await rowsOf("thread", "id", id),
  totals: await rowsOf("run_total", "thread_id", id),
});

it("A thread restores its lost catalog entry and the totals of every run, and a repetition changes nothing", async () => {
  const id = await newThread("parallel", { title: "Lost and found", tags: ["kept"] });
  const runs = 102;
  for (const _ of [1, 2]) {
    for (let n = 1; n <= 50; n += 1) await value(stubOf(id).call("postMessage", admin, message(`say ${n}`), null));
    await converse(id, "say the last");
  }
  await waitFor(async () => (await known(id)).totals.length === runs);
  const before = await known(id);
  expect(before.thread).toHaveLength(1);

  await env.CATALOG.batch([
    env.CATALOG.prepare("DELETE FROM thread WHERE id = ?").bind(id),
    env.CATALOG.prepare("DELETE FROM run_total WHERE thread_id = ?").bind(id),
  ]);
  await evict(id);
  const { rowsWritten } = await stubOf(id).rows();
  for (const _ of [1, 2]) expect(await value(stubOf(id).call("relist", admin))).toEqual({ thread_id: id, runs });
  expect(await known(id)).toEqual(before);
  // The thread is only read.
  expect((await stubOf(id).rows()).rowsWritten).toBe(rowsWritten);
});

it("An object without a thread refuses to report to the catalog with thread_not_found, and adds nothing to the catalog", async () => {
  const id = crypto.randomUUID();
  expect(await stubOf(id).call("relist", admin)).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
  await newThread("parallel");
  expect(await known(id)).toEqual({ thread: [], totals: [] });
});
