// Shared by the tests of threads that work together: a boss that calls a panel, latches at which models wait, and the places that the objects
// reach.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { TestRunner, vi } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";

import { crossing } from "../worker/crossing.ts";
import { onPlace } from "../worker/places.ts";
import type { Place } from "../worker/places.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { reportWait } from "./open-waits.ts";
import { admin, alarmOf, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const runPage = { limit: 50, order: "desc" as const };

/** Resets what earlier tests set. */
export function resetAgents(): void {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
  onPlace(null);
}

/** A latch at which code waits until the test opens it. */
export interface Latch {
  passed: Promise<void>;
  open: () => void;
  /** Resolves for the test when the latch is open. */
  opened: () => Promise<unknown>;
}

/** A closed latch. */
export function latch(): Latch {
  const { promise: passed, resolve: open } = crossing();
  let isOpen = false;
  return {
    passed,
    open: () => {
      isOpen = true;
      open();
    },
    opened: () => waitFor(() => isOpen),
  };
}

export const messagesOf = async (id: string): Promise<Message[]> =>
  (await value(stubOf(id).call("listMessages", admin, page))).items;

export async function lastRunOf(id: string): Promise<Run> {
  const [run] = (await value(stubOf(id).call("listRuns", admin, runPage))).items;
  if (run === undefined) throw new Error("no run");
  return run;
}

export const isEnd = (event: ThreadEvent): boolean => event.type === "run_end";

/** Fires the thread's alarm; false when none was set. */
export const wake = (id: string): Promise<boolean> =>
  runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));

/** A boss that calls a panel once, and a panel that decides "yes" when its latch opens. */
export function panelWaitingFor(passed: Promise<void>): void {
  scriptedAnswers.set("boss", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
  );
  scriptedAnswers.set("pro", async () => {
    await passed;
    return { text: "pro says" };
  });
  scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
}

/** Begins a run of a boss and resolves when its child exists and is active. */
export async function begun(agent = "boss"): Promise<{ id: string; child: string; following: Following }> {
  const id = await newThread(agent);
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  const child = childOf(await following.until((event) => event.type === "subagent_start"));
  // The event of the call comes before its child exists.
  await waitFor(async () => (await stubOf(child).call("describe", admin)).ok);
  const own = await follow(child, { after: "0" });
  await own.until((event) => event.type === "step_start");
  own.close();
  return { id, child, following };
}

/** The child thread that an event names. */
export function childOf(event: ThreadEvent): string {
  return event.type === "subagent_start" ? (event.child_thread_id ?? "") : "";
}

/** Waits until the parent has no active work: it is suspended with the alarm of its deadline. */
export async function whenSuspended(id: string): Promise<number> {
  await evict(id);
  const alarm = await alarmOf(id);
  if (alarm === null) throw new Error("a suspended run needs an alarm");
  return alarm;
}

/** The places that objects have reached. */
export interface Passing {
  received: Place[];
  until(fits: (place: Place) => boolean): Promise<Place>;
}

/** Records all places; `act` may delay an object or let a message fail. */
export function passing(act: (place: Place) => Promise<void> | void = () => {}): Passing {
  const received: Place[] = [];
  onPlace((place) => {
    received.push(place);
    return act(place);
  });
  return { received, until: (fits) => waitFor(() => received.find(fits)) };
}

/**
 * Resolves when a condition about an object holds, within the time limit of the test. It looks every `interval` milliseconds: a promise
 * that an object resolves would move the test into that object's context, which must end before the object can be evicted.
 */
export function waitFor<T>(look: () => T | Promise<T>, interval = 5): Promise<Exclude<T, undefined | false>> {
  const timeout = TestRunner.getCurrentTest()?.timeout ?? 30_000;
  const waiting = vi.waitUntil(look, { timeout, interval }) as Promise<Exclude<T, undefined | false>>;
  return reportWait(waiting, { what: String(look) });
}

/** Returns a condition for places: the place `name` of a message from `thread` to `to`. An absent id matches every thread. */
export function word(name: string, between: { thread?: string; to?: string }) {
  return (place: Place): boolean =>
    place.name === name && (between.thread ?? place.thread) === place.thread && (between.to ?? place.to) === place.to;
}
