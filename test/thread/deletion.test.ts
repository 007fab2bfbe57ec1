// The deletion of a thread is a durable state: random histories with crashes at its fault points, failures of the catalog, of the bucket and
// of child threads, and requests that arrive meanwhile. Each of them ends without a living thread that no list shows, and without an entry
// of a thread that does not exist.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import { exportFormat, exportVersion } from "#contract/export-header.ts";
import { importPath, callerHeader } from "#core/rpc/thread-rpc.ts";

import { skipFor } from "../worker/clock.ts";
import { planFaults } from "../worker/fault-plan.ts";
import type { Death } from "../worker/fault-plan.ts";
import { onPlace } from "../worker/places.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { addChildren, atPlace, objectOf, problemsOf, rowOf, stage, useDeletionStage, world } from "./deletion-stage.ts";
import type { Failing, Staged } from "./deletion-stage.ts";
import { untilDone } from "./fault-stage.ts";
import { isLeftAlone } from "./left-alone.ts";
import { waitFor } from "./team-driver.ts";
import { admin, evict, message, stubOf, value } from "./thread-driver.ts";

const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
/** The fault points of a deletion. */
const points = Object.values(sources).flatMap((text) =>
  [...text.matchAll(/\bfaults\.at\("((?:deletion|destroy)\.[^"]+)"\)/g)].map(([, name]) => name ?? ""),
);

/** A request that arrives during the deletion. */
const requests = ["describe", "post", "patch", "stop", "create", "import", "remove", "remove child", "alarm"] as const;
type Meanwhile = (typeof requests)[number];

/** A history: a thread, what goes wrong while it is deleted, and what arrives meanwhile. */
interface History extends Staged {
  /** Crashes of the object that is deleted; requests to its children fail by `failures`. */
  deaths: Death[];
  failures: Partial<Record<Failing, number>>;
  meanwhile: Meanwhile[];
}

const gone = { ok: false, refusal: { code: "thread_not_found" } };

/** Fires the alarm of a thread as the platform does at its time, and waits until the attempt that it starts has ended. */
async function ring(id: string, died: () => number): Promise<void> {
  const before = await rowOf(id);
  if (before === null) return;
  skipFor(id, 30 * 60_000);
  const deaths = died();
  await runInDurableObject(objectOf(id), (object) => object.alarm?.()).catch(() => undefined);
  const failures = before.deletion?.retry?.failures;
  await waitFor(async () => {
    const row = died() > deaths ? null : await rowOf(id);
    return row === null || row.deletion === undefined || row.deletion.retry?.failures !== failures;
  });
}

/** Sends the beginning of an export under the id, which is refused in any case. */
function importThread(id: string): Promise<Response> {
  const counts = { messages: 0, files: 0, file_bytes: 0 };
  const head = { type: "header", format: exportFormat, version: exportVersion, thread_id: id, exported_at: 0 };
  const body = `${JSON.stringify({ ...head, files: false, counts })}\n`;
  const headers = { [callerHeader]: JSON.stringify(admin) };
  return stubOf(id).fetch(new Request(`https://thread${importPath}`, { method: "POST", body, headers }));
}

/** Sends a request. Its answer does not matter, and neither does whether the object dies. */
async function send(kind: Meanwhile, id: string, below: readonly string[]): Promise<void> {
  const stub = stubOf(id);
  const creation = { id, agent_id: "boss", user_id: "ada", creation: "again" };
  const [child = id] = below;
  const sent: Record<Meanwhile, () => Promise<unknown>> = {
    describe: () => stub.call("describe", admin),
    post: () => stub.call("postMessage", admin, message("late"), null),
    patch: () => stub.call("patch", admin, { title: "late" }),
    stop: () => stub.call("stop", admin, null),
    create: async () => {
      const made = await stub.call("create", admin, creation);
      // A new thread under the id is deleted like the first one, so that the end of the history is the same.
      if (made.ok) await stub.call("remove", admin);
    },
    import: async () => (await importThread(id)).text(),
    remove: () => stub.call("remove", admin),
    "remove child": () => stubOf(child).call("remove", admin),
    alarm: () => runInDurableObject(objectOf(id), (object) => object.alarm?.()),
  };
  await sent[kind]().catch(() => undefined);
}

/** Plays a history: deletes the thread as a client that repeats unanswered requests, then lets only the alarms act. */
async function play(history: History): Promise<string[]> {
  const { id, below } = await stage(history);
  const problems: string[] = [];
  world.concerned = new Set([id, ...below]);
  const plan = planFaults(id, history.deaths);
  const died = () => plan.died;
  world.failing = { ...history.failures };
  const meanwhile = history.meanwhile.map((kind) => send(kind, id, below));
  const answer = await untilDone(() => stubOf(id).call("remove", admin));
  await Promise.all(meanwhile);
  if (!answer.ok && !["unavailable", "thread_not_found"].includes(answer.refusal.code)) {
    problems.push(`the deletion was answered ${answer.refusal.code}`);
  }
  const received = await untilDone(() => stubOf(id).call("describe", admin));
  if (received.ok) problems.push("the thread answers after its deletion");
  if (await untilDone(() => isLeftAlone(id))) problems.push("nothing wakes the thread");
  for (
    let round = 0;
    round < 30 && (await Promise.all([...world.concerned].map(rowOf))).some((row) => row !== null);
    round += 1
  ) {
    for (const thread of world.concerned) await ring(thread, died);
  }
  problems.push(...(await problemsOf([...world.concerned])));
  return problems;
}

const death = fc.record({
  point: fc.constantFrom(...points),
  hit: fc.integer({ min: 1, max: 6 }),
  mode: fc.constantFrom<Death["mode"]>("kept", "lost"),
});

const histories: fc.Arbitrary<History> = fc.record({
  children: fc.nat({ max: 2 }),
  objects: fc.nat({ max: 2 }),
  running: fc.boolean(),
  deaths: fc.array(death, { maxLength: 3 }),
  failures: fc.record(
    { entry: fc.nat({ max: 2 }), totals: fc.nat({ max: 2 }), bucket: fc.nat({ max: 2 }), child: fc.nat({ max: 2 }) },
    { requiredKeys: [] },
  ),
  meanwhile: fc.array(fc.constantFrom<Meanwhile>(...requests), { maxLength: 4 }),
});

const calm: History = { children: 0, objects: 0, running: false, deaths: [], failures: {}, meanwhile: [] };

useDeletionStage();

describe("a deletion that has begun", () => {
  it(
    "DELETE1 A deletion that has begun ends without a thread, a child thread, an object in the bucket or an entry in a list, after crashes and failures at random points of it and with requests that arrive meanwhile",
    { timeout: 600_000 },
    async () => {
      const { seed, all } = inject("faults");
      const check = fc.asyncProperty(histories, async (history) => {
        expect(await play(history)).toEqual([]);
      });
      await fc.assert(check, { seed, numRuns: all ? 400 : 40, endOnFailure: true });
    },
  );

  it.each(points)(
    "DELETE1 A deletion that a crash interrupts at the fault point %s is finished by the alarm alone",
    async (point) => {
      for (const mode of ["kept", "lost"] as const) {
        // The first crash leaves a run in the rows that has not ended, so that its usage is sent later.
        const deaths = [
          { point: "deletion.step", hit: 1, mode: "kept" as const },
          { point, hit: 1, mode },
        ];
        expect(await play({ ...calm, children: 1, objects: 1, deaths })).toEqual([]);
      }
    },
  );

  it.each<Failing>(["entry", "totals", "bucket", "child"])(
    "DELETE2 If a part of a thread cannot be deleted (%s), the deletion is answered unavailable, the thread is answered thread_not_found, and the alarm deletes the rest",
    async (what) => {
      const { id, below } = await stage({ ...calm, children: 1, objects: 1 });
      world.concerned = new Set([id, ...below]);
      if (what === "totals") {
        // The run does not end before the deletion sends its usage.
        onPlace((place) => (place.name === "run.execute" ? new Promise(() => {}) : atPlace(place)));
      }
      world.failing = { [what]: 5 };
      const answer = await stubOf(id).call("remove", admin);
      expect(answer).toMatchObject({ ok: false, refusal: { code: "unavailable" } });
      expect(answer.ok ? "" : answer.refusal.message).toContain("continues in the background");
      const again = { id, agent_id: "boss", user_id: "ada", creation: "again" };
      for (const late of [
        stubOf(id).call("describe", admin),
        stubOf(id).call("postMessage", admin, message("late"), null),
        stubOf(id).call("patch", admin, { title: "late" }),
        stubOf(id).call("stop", admin, null),
        stubOf(id).call("remove", { user: "eve", admin: false }),
      ]) {
        expect(await late).toMatchObject(gone);
      }
      expect(await stubOf(id).call("create", admin, again)).toMatchObject({ refusal: { code: "unavailable" } });
      expect(await (await importThread(id)).json()).toMatchObject({ error: { code: "unavailable" } });
      onPlace(atPlace);
      world.failing = {};
      await ring(id, () => 0);
      expect(await problemsOf([id, ...below])).toEqual([]);
      expect(await value(stubOf(id).call("create", admin, again))).toMatchObject({ id });
      await value(stubOf(id).call("remove", admin));
    },
  );

  it("DELETE2 A repeated deletion of a thread whose deletion failed deletes the rest at once", async () => {
    const { id } = await stage({ ...calm, objects: 1 });
    world.concerned = new Set([id]);
    world.failing = { bucket: 1 };
    expect(await stubOf(id).call("remove", admin)).toMatchObject({ refusal: { code: "unavailable" } });
    await value(stubOf(id).call("remove", { user: "ada", admin: false }));
    expect(await problemsOf([id])).toEqual([]);
  });

  it("USAGE7 The usage of a run that a deletion ended is counted once, on the day on which the deletion began, also if the deletion ends on a later day", async () => {
    const { id, below } = await stage({ ...calm, children: 1 });
    // The step that called the child has used tokens; the run is suspended and does not end.
    await evict(id);
    world.concerned = new Set([id, ...below]);
    planFaults(id, [
      { point: "deletion.step", hit: 1, mode: "kept" },
      { point: "deletion.rows", hit: 1, mode: "kept" },
    ]);
    await untilDone(() => stubOf(id).call("remove", admin));
    skipFor(id, 25 * 3_600_000);
    await ring(id, () => 0);
    expect(await problemsOf([id, ...below])).toEqual([]);
    const totals = env.CATALOG.prepare("SELECT count(*) AS n FROM run_total WHERE thread_id = ?").bind(id);
    expect(await totals.first<number>("n")).toBe(1);
  });

  it("DELETE3 A child thread that is created after its parent was deleted is deleted when it reports to the parent", async () => {
    scriptedAnswers.set("pro", () => ({ text: "pro" }));
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
    const child = crypto.randomUUID();
    const parent = { thread_id: crypto.randomUUID(), run_id: "r", tool_call_id: "c", message_id: "m", depth: 1 };
    const input = { id: child, agent_id: "panel", user_id: null, parent, text: "decide", limits: {} };
    const peer = env.THREADS.get(env.THREADS.idFromName(child)) as never as {
      call(...input: unknown[]): Promise<unknown>;
    };
    await peer.call("startChild", admin, input);
    await waitFor(async () => (await rowOf(child)) === null);
    expect(await problemsOf([child])).toEqual([]);
  });

  it("DELETE4 A deletion deletes child threads in batches of ten, and continues with those that remain after a crash", async () => {
    const { id } = await stage(calm);
    const children = await addChildren(id, 45);
    let open = 0;
    let most = 0;
    const requested: string[] = [];
    onPlace(({ name, thread, to = "" }) => {
      if (thread !== id) return;
      if (name === "before remove") {
        most = Math.max(most, (open += 1));
        requested.push(to);
      }
      if (name === "after remove") open -= 1;
    });
    const plan = planFaults(id, [{ point: "deletion.children", hit: 4, mode: "kept" }]);
    await untilDone(() => stubOf(id).call("remove", admin));
    await ring(id, () => plan.died);
    expect([plan.died, most]).toEqual([1, 10]);
    expect(requested).toHaveLength(45);
    expect(new Set(requested)).toEqual(new Set(children));
    expect(await problemsOf([id])).toEqual([]);
  });
});
