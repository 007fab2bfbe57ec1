// Deletions in a storage that is full: a trigger refuses writes as SQLite refuses them. A thread whose mark cannot be written stays whole, and a
// deletion whose later writes fail is continued by the alarm.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { skipFor } from "../worker/clock.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { objectOf, problemsOf, rowOf, stage, useDeletionStage, world } from "./deletion-stage.ts";
import { isLeftAlone } from "./left-alone.ts";
import { waitFor } from "./team-driver.ts";
import { admin, message, stubOf, value } from "./thread-driver.ts";

useDeletionStage();

/** Executes SQL in the object of a thread, in place of the object. */
const execute = (id: string, sql: string) =>
  runInDurableObject(objectOf(id), (_, { storage }) => void storage.sql.exec(sql));

/** Refuses writes of the thread's row under a condition, until the returned function is called. */
async function fill(id: string, condition: string): Promise<() => Promise<void>> {
  const refusal = "SELECT RAISE(ABORT, 'database or disk is full: SQLITE_FULL')";
  await execute(id, `CREATE TRIGGER full BEFORE UPDATE ON thread WHEN ${condition} BEGIN ${refusal}; END`);
  return () => execute(id, "DROP TRIGGER full");
}

/** Fires the alarm of a thread at its time, and waits until the attempt that it starts has ended. */
async function ring(id: string): Promise<void> {
  const failures = (await rowOf(id))?.deletion?.retry?.failures;
  skipFor(id, 30 * 60_000);
  await runInDurableObject(objectOf(id), (object) => object.alarm?.());
  await waitFor(async () => {
    const row = await rowOf(id);
    return row === null || row.deletion?.retry?.failures !== failures;
  });
}

const isListed = async (id: string) =>
  (await env.CATALOG.prepare("SELECT count(*) AS n FROM thread WHERE id = ?1").bind(id).first<number>("n")) === 1;

it.each([
  ["is idle", false, 0],
  ["executes a run", true, 0],
  ["has a child thread", true, 1],
])(
  "DELETE5 If the mark of a deletion cannot be written, a thread that %s stays as it was, with its entry in lists and its child threads, and a repeated deletion deletes it",
  async (_name, running, children) => {
    const { id, below } = await stage({ children, objects: 1, running });
    world.concerned = new Set([id, ...below]);
    const before = await value(stubOf(id).call("describe", admin));
    const empty = await fill(id, "true");
    expect(await stubOf(id).call("remove", admin)).toMatchObject({ ok: false, refusal: { code: "internal" } });
    const after = await value(stubOf(id).call("describe", admin));
    expect([after.status, after.active_run_id]).toEqual([before.status, before.active_run_id]);
    expect(await rowOf(id)).not.toHaveProperty("deletion");
    expect(await isListed(id)).toBe(true);
    for (const child of below) expect(await stubOf(child).call("describe", admin)).toMatchObject({ ok: true });
    await empty();
    if (!running) {
      scriptedAnswers.set("boss", () => ({ text: "still here" }));
      await value(stubOf(id).call("postMessage", admin, message("more"), null));
      await waitFor(async () => (await value(stubOf(id).call("describe", admin))).status === "idle");
    }
    await value(stubOf(id).call("remove", admin));
    expect(await problemsOf([id, ...below])).toEqual([]);
  },
);

it.each([
  ["every later write of the thread's row", "OLD.body LIKE '%\"deletion\"%'", 1],
  ["the note of a failed attempt", "NEW.body LIKE '%\"failures\"%'", 0],
])(
  "DELETE1 A deletion for which the storage refuses %s leaves an alarm, and the alarm finishes it when there is space again",
  async (_name, condition, children) => {
    const { id, below } = await stage({ children, objects: 1, running: children > 0 });
    world.concerned = new Set([id, ...below]);
    world.failing = { bucket: 1, child: children };
    const empty = await fill(id, condition);
    expect(await stubOf(id).call("remove", admin)).toMatchObject({ ok: false });
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
    expect(await isLeftAlone(id)).toBe(false);
    await empty();
    for (let round = 0; round < 5 && (await rowOf(id)) !== null; round += 1) await ring(id);
    expect(await problemsOf([id, ...below])).toEqual([]);
  },
);
