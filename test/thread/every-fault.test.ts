// Kills the object at every fault point of the sources and compares the conversation with the undisturbed one. Each point is tried in one
// mode (writes kept, writes lost, alarm fired), and with FAULTS=all in each mode. An external server counts the effects of tools.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { planFaults } from "../worker/fault-plan.ts";
import type { Death } from "../worker/fault-plan.ts";
import { outside } from "../worker/faulted.ts";
import { withLoopHooks } from "../worker/loop-hooks.ts";
import { deathsIn } from "./fault-choice.ts";
import { lost, plays, rarePlays, says, sourcePlays, team } from "./fault-plays.ts";
import { play, quietly, untilDone } from "./fault-stage.ts";
import type { Outcome, Play } from "./fault-stage.ts";
import { wrong } from "./fault-verdict.ts";
import { admin, alarmOf, newThread, stubOf, value } from "./thread-driver.ts";

/** Conversations that are played in parallel. */
const atOnce = 6;

const timeout = 600_000;

/** The names of the fault points in the sources. */
const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
const points = Object.values(sources).flatMap((text) =>
  [...text.matchAll(/\bfaults\.at\("([^"]+)"\)/g)].map(([, name]) => name ?? ""),
);

/** The points at which an object died. */
const diedAt = new Set<string>();

let quiet: ReturnType<typeof quietly>;
let removeHooks = () => {};

beforeAll(() => {
  // The fault points before hooks are reached only in threads with such hooks.
  removeHooks = withLoopHooks();
  outside.url = inject("effectServer");
  quiet = quietly();
});

afterAll(() => {
  removeHooks();
  quiet.loud();
});

/** Plays the conversation once for each list of deaths, some in parallel. Returns everything that went wrong. */
async function playAll(conversation: Play, calm: Outcome, lives: readonly Death[][]): Promise<string[]> {
  const waiting = [...lives];
  const problems: string[] = [];
  const work = async () => {
    for (let deaths = waiting.shift(); deaths !== undefined; deaths = waiting.shift()) {
      const outcome = await play(conversation, deaths);
      for (const { point } of deaths) diedAt.add(point);
      const where = deaths.map(({ point, hit, mode }) => `${point}#${hit} ${mode}`).join(", ");
      for (const problem of wrong(calm, outcome)) problems.push(`${where}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return [...problems, ...quiet.broken.splice(0)];
}

describe.each(plays)("%s", (_name, conversation) => {
  it(
    "If the object of a run crashes at any fault point, the run ends like an undisturbed run, with the same messages and each effect once",
    { timeout },
    async () => {
      const calm = await play(conversation, []);
      expect(calm.problems).toEqual([]);
      const lives = deathsIn(calm.plan.lives[0] ?? [], diedAt).map((death) => [death]);
      expect(await playAll(conversation, calm, lives)).toEqual([]);
    },
  );
});

describe.each([...rarePlays, ...sourcePlays, ["an agent whose prompt is missing", lost] as const])(
  "%s",
  (_name, conversation) => {
    it(
      "If the object of a run crashes at any fault point, the run ends like an undisturbed run, with the same messages and each effect once",
      { timeout },
      async () => {
        const calm = await play(conversation, []);
        expect(calm.problems).toEqual([]);
        const lives = deathsIn(calm.plan.lives[0] ?? [], diedAt, 4).map((death) => [death]);
        expect(await playAll(conversation, calm, lives)).toEqual([]);
      },
    );
  },
);

describe("a run that a crash interrupted", () => {
  const first: Death = { point: "tool.piece", hit: 1, mode: "kept" };

  it(
    "If the object crashes again while an interrupted run is resumed, the run ends like an undisturbed run",
    { timeout },
    async () => {
      const calm = await play(team, []);
      const cut = await play(team, [first]);
      expect(wrong(calm, cut)).toEqual([]);
      const known = new Set(calm.plan.lives[0]);
      const lives = deathsIn(cut.plan.lives[1] ?? [], known)
        .filter(({ point }) => !known.has(point))
        .map((death) => [first, death]);
      expect(lives.length).toBeGreaterThan(0);
      expect(await playAll(team, calm, lives)).toEqual([]);
    },
  );

  it.each(["kept", "lost"] as const)(
    "A run ends with recovery_failed when its object crashes five more times at the same point, with writes %s",
    { timeout },
    async (mode) => {
      const cut: Death = { point: "model.part", hit: 1, mode: "kept" };
      const lives = Array.from({ length: 5 }, (): Death => ({ ...cut, mode }));
      const { runs, plan, problems } = await play(team, [cut, ...lives]);
      expect(runs).toMatchObject([{ status: "error", error: { code: "recovery_failed" } }]);
      expect(plan.lives.map((life) => life.includes("model.part"))).toEqual([...Array(6).fill(true), false]);
      expect(problems).toEqual([]);
    },
  );
});

/** The tables of an object; none if its thread was deleted. */
const tablesOf = (id: string) =>
  runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );

/** Crashes of a deletion. The first one leaves a run in the rows that has not ended, so that the second life sends its usage. */
const marked: Death = { point: "deletion.step", hit: 1, mode: "kept" };
const deletions = points
  .filter((point) => /^(?:deletion|destroy)\./.test(point))
  .flatMap((point) => (["kept", "lost"] as const).map((mode): Death => ({ point, hit: 1, mode })));

it.each(deletions)(
  "If the object crashes at $point during the deletion of its thread (writes $mode), a repeated deletion succeeds",
  async (death) => {
    const id = await newThread("fault_host");
    await untilDone(() => says("asks")(id));
    await vi.waitUntil(async () => {
      const { pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
      return pending.length > 0;
    });
    const plan = planFaults(id, [marked, death]);
    const gone = { ok: false, refusal: { code: "thread_not_found" } };
    const emitted = await untilDone(() => stubOf(id).call("remove", admin));
    diedAt.add(death.point);
    expect(plan.died).toBe(2);
    if (!emitted.ok) expect(emitted).toMatchObject(gone);
    expect(await stubOf(id).call("describe", admin)).toMatchObject(gone);
    expect(await tablesOf(id)).toEqual([]);
    expect(await alarmOf(id)).toBeNull();
  },
);

it.each(["kept", "lost"] as const)(
  "If the object crashes before a change is sent to the catalog (writes %s), the repeated change is stored",
  async (mode) => {
    const id = await newThread("fault_host");
    const plan = planFaults(id, [{ point: "wakeups.catalog", hit: 1, mode }]);
    const patched = await untilDone(async () => value(stubOf(id).call("patch", admin, { title: "changed" })));
    diedAt.add("wakeups.catalog");
    expect(plan.died).toBe(1);
    expect(patched.title).toBe("changed");
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ title: "changed" });
  },
);

it("The tests crashed an object at every fault point of the sources", () => {
  expect(points.length).toBeGreaterThan(0);
  expect(points.filter((point) => !diedAt.has(point))).toEqual([]);
});
