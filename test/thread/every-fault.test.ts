// Kills the object at every fault point of the sources, with its writes kept and lost, and compares what becomes of the
// conversation with the undisturbed one. What is done outside is counted by a server outside.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";

import { planFaults } from "../worker/fault-plan.ts";
import type { Death } from "../worker/fault-plan.ts";
import { aloud, outside } from "../worker/faulted.ts";
import { deathsIn } from "./fault-choice.ts";
import { play, quietly, untilDone } from "./fault-stage.ts";
import type { Outcome, Play } from "./fault-stage.ts";
import { wrong } from "./fault-verdict.ts";
import { admin, alarmOf, message, stubOf, value } from "./thread-driver.ts";

/** Conversations that are played side by side. */
const atOnce = 6;

const timeout = 600_000;

const key = { key: "once", fingerprint: "once" };

const says = (kind: string) => (id: string) => value(stubOf(id).postMessage(admin, message(`${kind} ${id}`), key));

const team: Play = { agent: "fault_desk", begin: says("go") };

/** Answers what the run waits for, one call at a time, as a client that comes by now and then. */
async function asks(id: string): Promise<void> {
  await says("asks")(id);
  await vi.waitUntil(
    async () => {
      const { status, pending_tool_calls: pending } = await value(stubOf(id).describe(admin));
      const [call] = pending;
      if (call !== undefined) {
        await value(stubOf(id).postToolResults(admin, { results: [answerTo(call)] }));
        // Sent again, as by a client that did not hear. Of the last call it may come when everything is over.
        if (pending.length > 1) await value(stubOf(id).postToolResults(admin, { results: [answerTo(call)] }));
      }
      return status === "idle" || pending.length === 1;
    },
    { timeout: 60_000, interval: 2 },
  );
}

/** Comes to a limit in the middle of a sub-prompt, and raises it as a client that comes by now and then. */
async function raises(id: string): Promise<void> {
  const limits = { steps: 2, on_limit: "rest" } as const;
  await value(stubOf(id).postMessage(admin, message(`limits ${id}`, { limits }), key));
  const waits = async () => {
    const { status, pending_tool_calls: pending } = await value(stubOf(id).describe(admin));
    return pending.length > 0 ? "raise" : status === "idle" && "over";
  };
  if ((await vi.waitUntil(waits, { timeout: 60_000, interval: 2 })) === "over") return;
  const raise = { key: "raise", fingerprint: "raise" };
  await value(stubOf(id).postRun(admin, { kind: "continue", limits: { steps: 9 } }, raise));
}

function answerTo({ id, name, kind }: PendingCall): PostedResult {
  if (kind === "remote") return { tool_call_id: id, result: "answered" };
  if (name === "fault_refused") return { tool_call_id: id, approved: false, error: "No." };
  return { tool_call_id: id, approved: true, ...(name === "fault_pay" ? { args: { task: "changed" } } : {}) };
}

const plays: [name: string, conversation: Play][] = [
  ["tools side by side, a sub-prompt, a handoff and a retry", team],
  ["an agent in a thread of its own", { agent: "fault_boss", begin: says("go") }],
  ["a call that a client answers", { agent: "fault_asker", begin: asks }],
  ["a limit in a sub-prompt, which is raised", { agent: "fault_desk", begin: raises }],
  ["calls that need consent", { agent: "fault_payer", begin: asks }],
  ["calls of a thread below", { agent: "fault_host", begin: asks }],
  ["a model that fails for good", { agent: "fault_desk", begin: says("fails") }],
  [
    "a run without a message",
    {
      agent: "fault_clerk",
      extra: { initial_messages: [{ role: "user", content: "first" }] },
      begin: (id) => value(stubOf(id).postRun(admin, { kind: "continue" }, key)),
    },
  ],
  [
    "a call that an invoked tool queues",
    {
      agent: "fault_clerk",
      begin: async (id) => {
        // Whoever invokes a tool has no key: what came of a call that was not answered shows in the list of runs.
        const { items } = await value(stubOf(id).listRuns(admin, { limit: 1, order: "asc" }));
        if (items.length === 0) await value(stubOf(id).invokeTool(admin, "enqueue", {}));
      },
    },
  ],
];

/** Those that die at every point they pass, however many others died there. */
const rarePlays: [name: string, conversation: Play][] = [
  ["a message that joins the run", { agent: "fault_clerk", begin: (id) => steersTalk(id) }],
  ["a message that interrupts the run", { agent: "fault_clerk", begin: (id) => interruptsBusy(id) }],
  ["a message that joins a run that waits for its client", { agent: "fault_asker", begin: (id) => steersAsking(id) }],
  ["a message that interrupts such a run", { agent: "fault_asker", begin: (id) => speaksToAsking(id, "interrupt") }],
];

/** Speaks up while the run waits for its client, who answers afterwards. */
async function steersAsking(id: string): Promise<void> {
  await speaksToAsking(id, "steer");
  await asks(id);
}

async function speaksToAsking(id: string, when: "steer" | "interrupt"): Promise<unknown> {
  await says("asks")(id);
  const first = { limit: 1, order: "asc" as const };
  // Whoever asks again may find that the run went on.
  while ((await value(stubOf(id).listRuns(admin, first))).items[0]?.status === "running");
  const aside = message(`aside ${id}`, { when });
  return value(stubOf(id).postMessage(admin, aside, { key: "aside", fingerprint: "aside" }));
}

/** Speaks up while a tool of the run waits for that. */
async function steersTalk(id: string): Promise<unknown> {
  await says("talk")(id);
  while (!aloud.asked.has(id)) await value(stubOf(id).describe(admin));
  const aside = message(`aside ${id}`, { when: "steer" });
  const answer = await value(stubOf(id).postMessage(admin, aside, { key: "aside", fingerprint: "aside" }));
  aloud.heard.add(id);
  return answer;
}

/** Interrupts a run that backs off: whoever asks again finds it so, or ended. */
async function interruptsBusy(id: string): Promise<unknown> {
  await says("busy")(id);
  const attempts = { limit: 1, order: "asc" as const, type: "llm_request" as const };
  while ((await value(stubOf(id).listLogs(admin, attempts))).items.length === 0);
  const now = message(`short ${id}`, { when: "interrupt" });
  return value(stubOf(id).postMessage(admin, now, { key: "now", fingerprint: "now" }));
}

/** The names of the points as the sources have them. */
const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
const points = Object.values(sources).flatMap((text) =>
  [...text.matchAll(/\bfaults\.at\("([^"]+)"\)/g)].map(([, name]) => name ?? ""),
);

/** Points at which some object died. */
const diedAt = new Set<string>();

let quiet: ReturnType<typeof quietly>;

beforeAll(() => {
  outside.url = inject("effectServer");
  quiet = quietly();
});

afterAll(() => quiet.loud());

/** Plays the conversation once for each list of deaths, some side by side. Gives everything that went wrong. */
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
  it("FAULT2 survives a death at every point it passes", { timeout }, async () => {
    const calm = await play(conversation, []);
    expect(calm.problems).toEqual([]);
    const lives = deathsIn(calm.plan.lives[0] ?? [], diedAt).map((death) => [death]);
    expect(await playAll(conversation, calm, lives)).toEqual([]);
  });
});

describe.each(rarePlays)("%s", (_name, conversation) => {
  it("FAULT2 survives a death at every point it passes", { timeout }, async () => {
    const calm = await play(conversation, []);
    expect(calm.problems).toEqual([]);
    const lives = deathsIn(calm.plan.lives[0] ?? []).map((death) => [death]);
    expect(await playAll(conversation, calm, lives)).toEqual([]);
  });
});

describe("a run that was cut", () => {
  const first: Death = { point: "tool.piece", hit: 1, mode: "kept" };

  it("FAULT3 survives another death while it is taken up", { timeout }, async () => {
    const calm = await play(team, []);
    const cut = await play(team, [first]);
    expect(wrong(calm, cut)).toEqual([]);
    const known = new Set(calm.plan.lives[0]);
    const lives = deathsIn(cut.plan.lives[1] ?? [], known)
      .filter(({ point }) => !known.has(point))
      .map((death) => [first, death]);
    expect(lives.length).toBeGreaterThan(0);
    expect(await playAll(team, calm, lives)).toEqual([]);
  });

  it.each(["kept", "lost"] as const)(
    "FAULT4 is given up when five more lives end where the first did, their writes %s",
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

/** Tables of an object; none in one whose thread is gone. */
const tablesOf = (id: string) =>
  runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );

const deletions = ["destroy.alarm", "destroy.rows"].flatMap((point) => [
  { point, hit: 1, mode: "kept" as const },
  { point, hit: 1, mode: "lost" as const },
]);

it.each(deletions)(
  "FAULT6 a thread that dies at $point, writes $mode, is deleted when that is asked again",
  async (death) => {
    const { id } = await play({ agent: "fault_boss", begin: says("go") }, []);
    const plan = planFaults(id, [death]);
    const gone = { ok: false, refusal: { code: "thread_not_found" } };
    const told = await untilDone(() => stubOf(id).remove(admin));
    diedAt.add(death.point);
    expect(plan.died).toBe(1);
    if (!told.ok) expect(told).toMatchObject(gone);
    expect(await stubOf(id).describe(admin)).toMatchObject(gone);
    expect(await tablesOf(id)).toEqual([]);
    expect(await alarmOf(id)).toBeNull();
  },
);

it("FAULT5 every point of the sources had its deaths", () => {
  expect(points.length).toBeGreaterThan(0);
  expect(points.filter((point) => !diedAt.has(point))).toEqual([]);
});
