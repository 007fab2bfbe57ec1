// Shared by the tests of threads that work together: a boss that calls a panel, doors at which models wait, and the places that the objects
// reach.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { TestRunner, vi } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";

import { crossing } from "../worker/crossing.ts";
import { atPlaces } from "../worker/places.ts";
import type { Place } from "../worker/places.ts";
import { acts, asked, personas } from "../worker/team.ts";
import { reportWait } from "./open-waits.ts";
import { admin, alarmOf, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const runPage = { limit: 50, order: "desc" as const };

/** Resets what earlier tests set. */
export function freshTeam(): void {
  personas.clear();
  acts.clear();
  asked.length = 0;
  atPlaces(null);
}

/** A door at which code waits until the test opens it. */
export interface Door {
  passed: Promise<void>;
  open: () => void;
  /** Resolves for the test when code has reached the door. */
  opened: () => Promise<unknown>;
}

/** A closed door. */
export function door(): Door {
  const { promise: passed, resolve: open } = crossing();
  let isOpen = false;
  return {
    passed,
    open: () => {
      isOpen = true;
      open();
    },
    opened: () => holds(() => isOpen),
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

/** A boss that calls a panel once, and a panel that decides "yes" when its door opens. */
export function panelBehind(passed: Promise<void>): void {
  personas.set("boss", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
  );
  personas.set("pro", async () => {
    await passed;
    return { text: "pro says" };
  });
  personas.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
}

/** Begins a run of a boss and resolves when its child exists and is active. */
export async function begun(agent = "boss"): Promise<{ id: string; child: string; following: Following }> {
  const id = await newThread(agent);
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  const child = childOf(await following.until((event) => event.type === "subagent_start"));
  // The event of the call comes before its child exists.
  await holds(async () => (await stubOf(child).call("describe", admin)).ok);
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
export async function rested(id: string): Promise<number> {
  await evict(id);
  const alarm = await alarmOf(id);
  if (alarm === null) throw new Error("a suspended run needs an alarm");
  return alarm;
}

/** The places that objects have reached. */
export interface Passing {
  seen: Place[];
  until(fits: (place: Place) => boolean): Promise<Place>;
}

/** Records all places; `act` may delay an object or let a message fail. */
export function passing(act: (place: Place) => Promise<void> | void = () => {}): Passing {
  const seen: Place[] = [];
  atPlaces((place) => {
    seen.push(place);
    return act(place);
  });
  return { seen, until: (fits) => holds(() => seen.find(fits)) };
}

/**
 * Resolves when a condition about an object holds, within the time limit of the test. It looks every `interval` milliseconds: a promise
 * that an object resolves would move the test into that object's context, which must end before the object can be evicted.
 */
export function holds<T>(look: () => T | Promise<T>, interval = 5): Promise<Exclude<T, undefined | false>> {
  const timeout = TestRunner.getCurrentTest()?.timeout ?? 30_000;
  const held = vi.waitUntil(look, { timeout, interval }) as Promise<Exclude<T, undefined | false>>;
  return reportWait(held, { what: String(look) });
}

/** Returns a condition for places: the place `name` of a message from `thread` to `to`. An absent id matches every thread. */
export function word(name: string, between: { thread?: string; to?: string }) {
  return (place: Place): boolean =>
    place.name === name && (between.thread ?? place.thread) === place.thread && (between.to ?? place.to) === place.to;
}
