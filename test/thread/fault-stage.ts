// Plays a conversation on a thread whose object dies where a plan says, the way a patient client would: what was not
// answered is asked again, a follower attaches again where it was, and after each death the alarm is fired by hand.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { Message } from "#contract/message.ts";
import type { Run } from "#contract/run.ts";

import { skipFor } from "../worker/clock.ts";
import { planFaults } from "../worker/fault-plan.ts";
import type { Death, FaultPlan } from "../worker/fault-plan.ts";
import { outside } from "../worker/faulted.ts";
import { isLeftAlone } from "./left-alone.ts";
import { admin, follow, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

/** A conversation to play: who speaks, and what begins it. `begin` is called until it is answered and must begin once. */
export interface Play {
  agent: string;
  /** What the thread is made with beside its agent. */
  extra?: object;
  begin: (id: string) => Promise<unknown>;
}

/** What became of it. */
export interface Outcome {
  id: string;
  plan: FaultPlan;
  messages: Message[];
  runs: Run[];
  /** What the outside world counted, by what was done. */
  effects: Record<string, { effects: number; requests: number }>;
  /** Everything that went wrong on the way, in words. */
  problems: string[];
}

/**
 * Keeps the objects' log lines from the test's own output, and gives those that say that something broke. An object that is
 * aborted at once takes the microtasks of its turn with it, and the test runner's for a line would be among them: it then
 * waits for that line for ever when the tests are over.
 */
export function quietly(): { broken: string[]; loud: () => void } {
  const { log, warn, error } = console;
  const broken: string[] = [];
  const gather = (...texts: unknown[]) => {
    const line = texts.join(" ");
    // A thread that finds another one dead logs it and tries again, and the end of a failed run is compared with the play's.
    if (!/"event":"(?:thread_unreachable|run_end)"/.test(line)) broken.push(line);
  };
  console.log = () => {};
  console.warn = gather;
  console.error = gather;
  return { broken, loud: () => Object.assign(console, { log, warn, error }) };
}

/**
 * Milliseconds by which the clock of a thread that dies goes before the platform's, so that none of its alarms goes off but by hand:
 * while one does, the platform shows none set, which would be taken for a thread that nothing wakes.
 */
export const beforeAlarms = 3_600_000;

/** Milliseconds after which a play that does not end says where it stands. A bound, and nothing that is waited for. */
const patienceMs = 60_000;

const page = { limit: 1000, order: "asc" as const, include_silent: true };

/** Plays it to its rest; rejects when it comes to none. */
export async function play(conversation: Play, deaths: readonly Death[]): Promise<Outcome> {
  const where = deaths.map(({ point, hit, mode }) => `${point}#${hit} ${mode}`).join(", ");
  let stage = "is made";
  let disarm = () => {};
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`The play with ${where} ${stage} for ever.`)), patienceMs);
    disarm = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([playOut(conversation, deaths, (now) => (stage = now)), late]);
  } finally {
    disarm();
  }
}

async function playOut(
  { agent, extra = {}, begin }: Play,
  deaths: readonly Death[],
  at: (stage: string) => void,
): Promise<Outcome> {
  const id = await newThread(agent, extra);
  skipFor(id, beforeAlarms);
  const ring = () => ringAlarm(id);
  const plan = planFaults(id, deaths, ring);
  const follower = new Follower(id);
  await follower.attached;
  // A client that knows nothing of the object's deaths: what is not answered is asked again.
  const begun = untilDone(() => begin(id));
  for (let nth = 1; nth <= deaths.length; nth += 1) {
    at(`waits for death ${nth}`);
    // Looked for again and again: a socket that is opened to an object as it dies may never say that it is broken.
    await vi.waitUntil(() => plan.died >= nth, { timeout: patienceMs, interval: 2 });
    if (await untilDone(() => isLeftAlone(id))) follower.problems.push(`nothing wakes it after death ${nth}`);
    await untilDone(ring);
    follower.again();
  }
  at("waits for its beginning");
  await begun;
  at("waits for its end");
  const late = await follow(id, { after: "0", until: "idle" });
  await late.closed;
  at("waits for the follower");
  await follower.reaches(late.events.at(-1)?.seq ?? 0);
  const problems = [...follower.problems, ...plan.problems];
  const messages = (await value(stubOf(id).call("listMessages", admin, page))).items;
  const runs = (await value(stubOf(id).call("listRuns", admin, { limit: 100, order: "asc" }))).items;
  for (const [who, events] of Object.entries({ first: follower.events, late: late.events })) {
    const difference = unlike(events, messages);
    if (difference !== null) problems.push(`the ${who} follower: ${difference}`);
  }
  const told = await fetch(`${outside.url}/effects?scope=${id}`);
  return { id, plan, messages, runs, effects: await told.json(), problems };
}

/** Asks again as long as the object dies under the question. */
export async function untilDone<T>(ask: () => Promise<T>): Promise<T> {
  const attempt = async (): Promise<{ done: T } | null> => {
    try {
      return { done: await ask() };
    } catch (thrown) {
      // A refusal is an answer.
      if (thrown instanceof Error && /^[a-z_]+: /.test(thrown.message)) throw thrown;
      return null;
    }
  };
  return (await vi.waitUntil(attempt, { timeout: patienceMs, interval: 2 })).done;
}

/**
 * Sets off the alarm as the platform does: it is taken off once its handler is done, so that one that dies is called again.
 * It is moved by a millisecond first: a handler that asks for the same time again, since that has not come yet, has asked.
 */
function ringAlarm(id: string): Promise<void> {
  return runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), async (object, { storage }) => {
    const at = await storage.getAlarm();
    if (at === null) return;
    await storage.setAlarm(at - 1);
    await object.alarm?.();
    if ((await storage.getAlarm()) === at - 1) await storage.deleteAlarm();
  });
}

/** Where the stored messages differ from what a follower makes of its events. */
function unlike(events: readonly ThreadEvent[], messages: readonly Message[]): string | null {
  const folded = foldAll(events).messages.map(({ streaming, ...message }) => JSON.stringify([streaming, message]));
  const stored = messages.map((message) => JSON.stringify([false, message]));
  const at = Array.from({ length: Math.max(folded.length, stored.length) }, (_, index) => index).find(
    (index) => folded[index] !== stored[index],
  );
  return at === undefined ? null : `folds to ${folded[at] ?? "nothing"}, stored is ${stored[at] ?? "nothing"}`;
}

/** A subscriber that attaches again at the last number it saw, whenever its connection breaks. */
class Follower {
  readonly events: ThreadEvent[] = [];
  readonly problems: string[] = [];
  readonly #id: string;
  #now: Following | null = null;
  #attaching: Promise<void>;

  constructor(id: string) {
    this.#id = id;
    this.#attaching = this.#attach();
  }

  /** Resolves when it is attached. */
  get attached(): Promise<void> {
    return this.#attaching;
  }

  /** Resolves when an event with at least that number came; then it leaves. */
  async reaches(seq: number): Promise<void> {
    for (;;) {
      await this.#attaching;
      // Its object may have died once more while nobody looked.
      const came = this.#now?.until((event) => event.seq >= seq).then(() => true);
      const broke = this.#now?.closed.then(() => false);
      if ((this.events.at(-1)?.seq ?? 0) >= seq || (await Promise.race([came, broke])) === true) break;
      this.again();
    }
    this.#take();
    this.#now?.close();
  }

  async #attach(): Promise<void> {
    const after = String(this.events.at(-1)?.seq ?? 0);
    this.#now = await untilDone(() => follow(this.#id, { after }));
  }

  /** Attaches again. */
  again(): void {
    this.#take();
    this.#attaching = this.#attach();
  }

  #take(): void {
    for (const event of this.#now?.events ?? []) {
      const last = this.events.at(-1)?.seq ?? 0;
      if (event.seq <= last) this.problems.push(`${event.type} has the number ${event.seq} behind ${last}`);
      this.events.push(event);
    }
  }
}
