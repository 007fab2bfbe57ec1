// Deletion of a thread, and requests that arrive meanwhile: nothing remains of the thread, and a new thread under the id is not affected.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { begun, latch, resetAgents, panelWaitingFor, passing, whenSuspended, word } from "./team-driver.ts";
import { admin, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

/** The tables of an object; none if it was never used or its thread was deleted. */
function tablesOf(id: string): Promise<unknown[]> {
  return runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );
}

async function expectNothingOf(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    expect(await stubOf(id).call("describe", admin)).toMatchObject({
      ok: false,
      refusal: { code: "thread_not_found" },
    });
    expect(await tablesOf(id)).toEqual([]);
    const row = env.CATALOG.prepare("SELECT count(*) AS n FROM thread WHERE id = ?1 OR parent_id = ?1").bind(id);
    expect(await row.first<{ n: number }>()).toEqual({ n: 0 });
  }
}

const isRemoval = ({ name }: { name: string }) => name === "before remove";

describe("deletion of a parent", () => {
  it("If a message arrives while its thread is deleted, the message is refused and begins no run", async () => {
    panelWaitingFor(new Promise(() => {}));
    const { id, child } = await begun();
    await whenSuspended(id);
    const { passed, open } = latch();
    const places = passing((place) => (isRemoval(place) ? passed : undefined));
    const gone = stubOf(id).call("remove", admin);
    await places.until(isRemoval);
    const late = stubOf(id).call("postMessage", admin, message("again"), null);
    expect(await late).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
    open();
    await value(gone);
    expect(places.received.filter(({ name }) => name === "before startChild")).toEqual([]);
    await expectNothingOf([id, child]);
  });

  for (const when of ["before", "after"]) {
    it(`If a parent thread is deleted, its child is deleted too, even if the message that starts the child is delayed right ${when} its delivery`, async () => {
      panelWaitingFor(new Promise(() => {}));
      const { passed, open } = latch();
      const starts = word(`${when} startChild`, {});
      const places = passing((place) => (starts(place) ? passed : undefined));
      const id = await newThread("boss");
      await value(stubOf(id).call("postMessage", admin, message("go"), null));
      const { to: child = "" } = await places.until(starts);
      await value(stubOf(id).call("remove", admin));
      const before = places.received.filter(word("after remove", { to: child })).length;
      open();
      await places.until(() => places.received.filter(word("after remove", { to: child })).length > before);
      await expectNothingOf([id, child]);
    });
  }

  it("A repeated deletion of a parent thread does not delete a new thread under the same id", async () => {
    const id = await newThread("boss");
    const doors = [latch(), latch()];
    let requested = 0;
    const forgets = word("before forget", { thread: id });
    const places = passing((place) => {
      if (!forgets(place)) return;
      requested += 1;
      return doors[requested - 1]?.passed;
    });
    const [first, second] = [stubOf(id).call("remove", admin), stubOf(id).call("remove", admin)];
    await places.until(forgets);
    doors[0]?.open();
    await value(first);
    await value(stubOf(id).call("create", admin, { id, agent_id: "boss", user_id: null, creation: "again" }));
    doors[1]?.open();
    await second;
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ id, status: "idle" });
  });
});
