// A parent and its child, of which one or both are killed at every place that they reach: fault points, and the moments before and after
// each message between them. The alarm resumes them, and their final state equals that of an undisturbed run.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { skip } from "../worker/clock.ts";
import type { Place } from "../worker/places.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { tryAll } from "./fault-choice.ts";
import { beforeAlarms, quietly } from "./fault-stage.ts";
import { isLeftAlone } from "./left-alone.ts";
import { latch, resetAgents, isEnd, messagesOf, passing, wake, word } from "./team-driver.ts";
import { admin, alarmOf, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

type Role = "parent" | "child";

/** A place in the undisturbed run: the thread that reaches it, its name, and the n-th time it is reached. */
interface Scene {
  role: Role;
  name: string;
  hit: number;
}

/** The threads whose objects are killed there, and whether the writes of the same turn are kept. */
interface Death {
  who: "itself" | "other" | "both";
  mode: "kept" | "lost";
}

/** Fault points that are places even if not all deaths are tried; test/thread/every-fault.test.ts kills objects at every fault point. */
const usual = ["child.start", "model.request", "answer.before-create", "result.before-create"];

const isPlace = (name: string): boolean => tryAll() || name.includes(" ") || usual.includes(name);

let quiet: ReturnType<typeof quietly>;

beforeAll(() => {
  quiet = quietly();
  skip(beforeAlarms);
});

afterAll(() => {
  quiet.loud();
});

beforeEach(() => {
  resetAgents();
  scriptedAnswers.set("boss", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
  );
  scriptedAnswers.set("pro", () => ({ toolCalls: [{ name: "pass", arguments: { said: "over to you" } }] }));
  scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
});

/** Sums of the same costs in another order differ after the last significant digit. */
const rounded = (cost: number | null) => (cost === null ? null : Number(cost.toPrecision(12)));

/** The final state of a thread, without its ids and times. */
async function picture(id: string) {
  const messages = await messagesOf(id);
  const { items: runs } = await value(stubOf(id).call("listRuns", admin, { limit: 50, order: "asc" }));
  const { status, usage, cost, message_count } = await value(stubOf(id).call("describe", admin));
  return {
    thread: { status, usage, cost: rounded(cost), message_count },
    messages: messages.map((one) => {
      const { role, content, depth, side, step, result, usage: used, cost: paid } = { step: null, ...one };
      return { role, content, depth, side, step, status: one.status, result, used, paid: rounded(paid ?? null) };
    }),
    runs: runs.map((run) => [run.status, run.reason, run.steps, run.text, run.outcome, run.usage, rounded(run.cost)]),
  };
}

/** Sends the first message until it is accepted. */
async function begin(id: string): Promise<void> {
  const key = { key: "go", fingerprint: id };
  const said = await stubOf(id)
    .call("postMessage", admin, message("go"), key)
    .catch(() => null);
  if (said?.ok !== true) await value(stubOf(id).call("postMessage", admin, message("go"), key));
}

/** Waits for the end of the run and until both threads have no work left; returns their final states. */
async function ended(id: string, received: readonly Place[]) {
  const following = await follow(id, { after: "0" });
  await comesTo(id, received, () => following.events.some(isEnd));
  following.close();
  const named = childrenOf(id, received);
  for (const one of [id, ...named]) await comesTo(id, received, async () => (await alarmOf(one)) === null);
  // A start that was not delivered, for a call that was not written, names a child that does not exist.
  const made = await Promise.all(
    named.map(async (one) => ((await stubOf(one).call("describe", admin)).ok ? [one] : [])),
  );
  const [child = "", ...others] = made.flat();
  expect(others).toEqual([]);
  return { parent: await picture(id), child: await picture(child) };
}

/** Fires alarms at their times until the condition holds: a failed message is sent again after a pause. */
async function comesTo(
  id: string,
  received: readonly Place[],
  waitFor: () => boolean | Promise<boolean>,
): Promise<void> {
  const look = async () => {
    if (await waitFor()) return true;
    skip(3000);
    for (const one of [...childrenOf(id, received), id]) await wake(one);
    return false;
  };
  await vi.waitUntil(look, { timeout: 10_000, interval: 10 });
}

function childrenOf(id: string, received: readonly Place[]): string[] {
  return [...new Set(received.filter(word("before startChild", { thread: id })).map(({ to }) => to ?? ""))];
}

/** An undisturbed run: its places, each at the first and the last time it is reached, and its final state. */
async function undisturbed() {
  const id = await newThread("boss");
  const places = passing();
  await begin(id);
  await places.until(word("after deliver", { to: id }));
  const end = await ended(id, places.received);
  const hits = new Map<string, Scene>();
  const child = places.received.find(word("before startChild", { thread: id }))?.to;
  for (const { thread, name } of places.received) {
    if ((thread !== id && thread !== child) || !isPlace(name)) continue;
    const role = thread === id ? "parent" : "child";
    const last = hits.get(`${role} ${name}`);
    hits.set(`${role} ${name}`, { role, name, hit: (last?.hit ?? 0) + 1 });
  }
  const scenes = [...hits.values()].flatMap((last) => (last.hit === 1 ? [last] : [{ ...last, hit: 1 }, last]));
  return { scenes, end };
}

/** The same run with a death at a place. */
async function disturbed(scene: Scene, { who, mode }: Death) {
  const id = await newThread("boss");
  const paused = latch();
  const reached = latch();
  let hits = 0;
  let child = "";
  const places = passing((place) => {
    if (word("before startChild", { thread: id })(place)) child = place.to ?? "";
    if (place.thread !== (scene.role === "parent" ? id : child) || place.name !== scene.name) return;
    hits += 1;
    if (hits !== scene.hit) return;
    reached.open();
    if (mode === "lost") place.state.abort("planned death: lost");
    // The object that dies here does not continue.
    return who === "other" ? paused.passed : new Promise(() => {});
  });
  const begun = begin(id);
  await reached.opened();
  const itself = scene.role === "parent" ? id : child;
  const other = scene.role === "parent" ? child : id;
  const victims = { itself: [itself], other: [other], both: [itself, other] }[who].filter((one) => one !== "");
  for (const victim of victims) {
    if (mode === "kept") await crash(victim);
    // An admitted message is open work, and an undelivered message is sent again: both need an alarm.
    if (mode === "kept") expect(await isLeftAlone(victim)).toBe(false);
    await wake(victim);
  }
  paused.open();
  await begun;
  return ended(id, places.received);
}

describe("a crash of threads that work together", () => {
  for (const death of [
    { who: "itself", mode: "kept" },
    { who: "itself", mode: "lost" },
    { who: "other", mode: "kept" },
    { who: "both", mode: "kept" },
  ] as const) {
    it(`A parent and its child end with the same messages, runs and costs after a crash at a fault point or message as without it (crashed: ${death.who}, writes: ${death.mode})`, async () => {
      const { scenes, end } = await undisturbed();
      const words = ["before startChild", "after startChild", "before deliver", "after deliver"];
      expect(scenes.map(({ name }) => name)).toEqual(expect.arrayContaining([...words, ...usual]));
      for (const scene of scenes) {
        const place = `${scene.role} at ${scene.name}, ${scene.hit}`;
        const came = await disturbed(scene, death).catch((thrown: unknown) => {
          throw new Error(place, { cause: thrown });
        });
        expect({ place, ...came }).toEqual({ place, ...end });
      }
    }, 600_000);
  }
});
