// A deletion that meets other work of its thread or a storage that fails: creations in progress, failures after the rows are deleted, child
// threads that cannot be deleted, and rows that cannot be written.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { ThreadRecord } from "#core/record/record.ts";

import { crossing } from "../worker/crossing.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { forgetPlans, planFaults } from "../worker/fault-plan.ts";
import { fileSettings } from "../worker/file-works.ts";
import { onPlace } from "../worker/places.ts";
import { quietly, untilDone } from "./fault-stage.ts";
import { newOwner, watch } from "./feed-watcher.ts";
import { admin, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const { FILES } = env as unknown as { FILES: R2Bucket };

const unavailable = { ok: false, refusal: { code: "unavailable" } };

let quiet: ReturnType<typeof quietly>;

beforeAll(() => {
  quiet = quietly();
});

afterEach(() => {
  onPlace(null);
  forgetPlans();
  delete fileSettings.bucket;
});

afterAll(() => quiet.loud());

/** Executes SQL in the object of a thread, in place of the object. */
function execute(id: string, sql: string, ...values: string[]): Promise<Record<string, unknown>[]> {
  return runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) =>
    storage.sql.exec(sql, ...values).toArray(),
  );
}

/** The row of a thread; null if the thread does not exist. */
async function rowOf(id: string): Promise<ThreadRecord | null> {
  const tables = await execute(id, "SELECT name FROM sqlite_master WHERE name = 'thread'");
  const [row] = tables.length === 0 ? [] : await execute(id, "SELECT body FROM thread");
  return row === undefined ? null : (JSON.parse(String(row["body"])) as ThreadRecord);
}

it.each([
  ["fails at its first attempt", true],
  ["succeeds at its first attempt", false],
])(
  "DELETE2 A creation in progress does not remove the mark of a deletion that %s, and a repeated creation is refused until the deletion has ended",
  async (_, fails) => {
    fileSettings.bucket = FILES;
    const id = crypto.randomUUID();
    const word = `held${id.slice(0, 8)}`;
    const { open, reached } = gate(word);
    const initial_messages = [{ role: "user" as const, content: `slow:${word}` }];
    const input = { id, agent_id: "parallel", user_id: null, creation: "same", initial_messages };
    const first = stubOf(id).call("create", admin, input);
    await reached;
    const repeated = stubOf(id).call("create", admin, input);
    await FILES.put(`${id}/file`, "bytes");
    const [atChildren, released] = [crossing(), crossing()];
    let steps = 0;
    let failures = fails ? 1 : 0;
    onPlace(async ({ thread, name }) => {
      if (thread !== id) return;
      if (name === "before forget" && failures-- > 0) throw new Error("the catalog fails");
      // After the thread in memory has ended.
      if (name !== "deletion.step" || (steps += 1) !== 3) return;
      atChildren.resolve();
      await released.promise;
    });
    const removed = stubOf(id).call("remove", admin);
    await atChildren.promise;
    open();
    expect(await first).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
    expect((await rowOf(id))?.deletion).toBeDefined();
    expect(await repeated).toMatchObject(unavailable);
    released.resolve();
    if (fails) {
      expect(await removed).toMatchObject(unavailable);
      await value(stubOf(id).call("remove", admin));
    } else expect(await removed).toMatchObject({ ok: true });
    expect(await rowOf(id)).toBeNull();
    expect((await FILES.list({ prefix: `${id}/` })).objects).toEqual([]);
    expect(await value(stubOf(id).call("create", admin, input))).toMatchObject({ id });
  },
);

it("DELETE1 A thread can be created again after a deletion that failed when its rows were deleted already", async () => {
  const id = await newThread("parallel");
  let failures = 1;
  onPlace(({ thread, name }) => {
    if (thread === id && name === "destroy.alarm" && failures-- > 0) return Promise.reject(new Error("no alarm"));
  });
  await stubOf(id).call("remove", admin);
  expect(await rowOf(id)).toBeNull();
  const again = { id, agent_id: "parallel", user_id: null, creation: "again" };
  expect(await value(stubOf(id).call("create", admin, again))).toMatchObject({ id });
});

it("DELETE4 Child threads whose deletion fails do not keep an attempt from the child threads that were not tried yet", async () => {
  const id = await newThread("parallel");
  const children = Array.from({ length: 510 }, () => crypto.randomUUID());
  const body = JSON.stringify({ ...(await rowOf(id)), children });
  await evict(id);
  await execute(id, "UPDATE thread SET body = ?", body);
  await evict(id);
  const requested: string[] = [];
  onPlace(({ thread, name, to = "" }) => {
    if (thread !== id || name !== "before remove") return;
    requested.push(to);
    return Promise.reject(new Error("the child fails"));
  });
  for (const _ of [1, 2]) expect(await stubOf(id).call("remove", admin)).toMatchObject(unavailable);
  expect(requested).toHaveLength(1000);
  expect(requested.slice(0, 510)).toEqual(children);
});

it("FEED4 A feed receives the deletion of a thread if a crash interrupted the deletion right after its beginning", async () => {
  const owner = newOwner();
  const watching = await watch(owner);
  const id = await newThread("parallel", { user_id: owner });
  await watching.until(({ type }) => type === "thread_created");
  await evict(id);
  planFaults(id, [{ point: "deletion.step", hit: 1, mode: "kept" }]);
  await stubOf(id)
    .call("remove", admin)
    .catch(() => undefined);
  expect((await untilDone(() => rowOf(id)))?.deletion).toBeDefined();
  await value(stubOf(id).call("remove", admin));
  expect(await watching.until(({ type }) => type === "thread_deleted")).toMatchObject({ thread_id: id });
});

it("USAGE7 The usage of a run is not counted before the deletion has stored what the run used", async () => {
  const id = await newThread("parallel");
  const word = `late${id.slice(0, 8)}`;
  gate(word);
  scripts.set(word, () => ({ toolCalls: [{ name: "wait", arguments: { gate: word } }] }));
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(`${word} me`), null));
  await following.until(({ type }) => type === "tool_execution_start");
  following.close();
  // The row states less than the run in memory has used.
  const [row] = await execute(id, "SELECT id, body FROM run");
  const zero = { input: 1, output: 0, cache_read: 0, cache_write: 0, total_tokens: 1 };
  const stored = { ...(JSON.parse(String(row?.["body"])) as object), spent: { scripted: { usage: zero, cost: 0 } } };
  await execute(id, "UPDATE run SET body = ? WHERE id = ?", JSON.stringify(stored), String(row?.["id"]));
  // The run does not reach its own end.
  onPlace(({ thread, name }) => (thread === id && name === "sleep.written" ? new Promise(() => {}) : undefined));
  await execute(id, "CREATE TRIGGER full BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'the row is refused'); END");
  const counted = () =>
    env.CATALOG.prepare("SELECT count(*) AS n, total(total_tokens) AS tokens FROM run_total WHERE thread_id = ?")
      .bind(id)
      .first();
  for (const _ of [1, 2]) expect(await stubOf(id).call("remove", admin)).toMatchObject({ ok: false });
  expect(await counted()).toEqual({ n: 0, tokens: 0 });
  await execute(id, "DROP TRIGGER full");
  await value(stubOf(id).call("remove", admin));
  expect(await counted()).toEqual({ n: 1, tokens: 27 });
});
