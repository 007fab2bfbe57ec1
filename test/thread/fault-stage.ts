// Plays a conversation on a thread whose object dies where a plan says, as a patient client: unanswered requests are repeated, a follower
// attaches again at its last number, and after each death the alarm is fired by hand.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import { messageDifferences, transcriptProblems } from "#testing/transcript-invariants.ts";

import { skipFor } from "../worker/clock.ts";
import { planFaults } from "../worker/fault-plan.ts";
import type { Death, FaultPlan } from "../worker/fault-plan.ts";
import { outside } from "../worker/faulted.ts";
import { isLeftAlone } from "./left-alone.ts";
import { admin, follow, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

/**
 * A conversation to play: its agent, and its first request. `begin` is called until it is answered, and must start the conversation once.
 */
export interface Play {
  agent: string;
  /** Fields of the creation request besides the agent. */
  extra?: object;
  begin: (id: string) => Promise<unknown>;
}

/** The outcome of a play. */
export interface Outcome {
  id: string;
  plan: FaultPlan;
  messages: Message[];
  runs: Run[];
  /** The effects that the server outside counted, by kind. */
  effects: Record<string, { effects: number; requests: number }>;
  /** Everything that went wrong, as sentences. */
  problems: string[];
}

/**
 * Keeps the objects' log lines out of the test's own output, and returns those that report an error. An object that is aborted loses the
 * microtasks of its turn, and the test runner's microtask for a log line could be among them: the runner would wait for that line forever.
 */
export function quietly(): { broken: string[]; loud: () => void } {
  const { log, warn, error } = console;
  const broken: string[] = [];
  const gather = (...texts: unknown[]) => {
    const line = texts.join(" ");
    // A thread that finds another one dead logs this and tries again; the end of a failed run is compared with the undisturbed play.
    if (!/"event":"(?:thread_unreachable|run_end)"/.test(line)) broken.push(line);
  };
  console.log = () => {};
  console.warn = gather;
  console.error = gather;
  return { broken, loud: () => Object.assign(console, { log, warn, error }) };
}

/**
 * Milliseconds by which the clock of a killed thread is ahead of the platform's, so that its alarms fire only by hand. While an alarm
 * fires, the platform reports none, which would look like a thread that nothing wakes.
 */
export const beforeAlarms = 3_600_000;

/** Milliseconds after which a play that does not end reports its position. It is a bound, not a wait. */
const timeoutMs = 60_000;

const page = { limit: 1000, order: "asc" as const, include_silent: true };

/** Plays the conversation until the thread is idle; rejects if that never happens. */
export async function play(conversation: Play, deaths: readonly Death[]): Promise<Outcome> {
  const where = deaths.map(({ point, hit, mode }) => `${point}#${hit} ${mode}`).join(", ");
  let stage = "is made";
  let disarm = () => {};
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`The play with ${where} ${stage} for ever.`)), timeoutMs);
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
  // A client that does not know of the object's deaths: unanswered requests are repeated.
  const begun = untilDone(() => begin(id));
  for (let nth = 1; nth <= deaths.length; nth += 1) {
    at(`waits for death ${nth}`);
    // The test looks repeatedly: a socket that is opened to a dying object may never report that it is broken.
    await vi.waitUntil(() => plan.died >= nth, { timeout: timeoutMs, interval: 2 });
    if (await untilDone(() => isLeftAlone(id))) follower.problems.push(`nothing wakes it after death ${nth}`);
    await untilDone(ring);
    follower.again();
  }
  at("waits for its beginning");
  await begun;
  at("waits for its end");
  const late = await follow(id, { after: "0", until: "idle", include_silent: "true" });
  await late.closed;
  at("waits for the follower");
  await follower.reaches(late.events.at(-1)?.seq ?? 0);
  const problems = [...follower.problems, ...plan.problems];
  const messages = (await value(stubOf(id).call("listMessages", admin, page))).items;
  const runs = (await value(stubOf(id).call("listRuns", admin, { limit: 100, order: "asc" }))).items;
  // The first follower may have received events of an answer that a death then took back.
  const first = messageDifferences(foldAll(follower.events).messages, messages);
  problems.push(...first.map((problem) => `the first follower: ${problem}`));
  const { last_seq: lastSeq } = await value(stubOf(id).call("describe", admin));
  const complete = transcriptProblems({ events: late.events, messages, lastSeq });
  problems.push(...complete.map((problem) => `the late follower: ${problem}`));
  const emitted = await fetch(`${outside.url}/effects?scope=${id}`);
  return { id, plan, messages, runs, effects: await emitted.json(), problems };
}

/** Repeats a request as long as the object dies during it. */
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
  // Most requests are answered at once and need no timers.
  const first = await attempt();
  return (first ?? (await vi.waitUntil(attempt, { timeout: timeoutMs, interval: 2 }))).done;
}

/**
 * Fires the alarm as the platform does: it is deleted only when its handler is done, so that a handler that dies is called again. It is
 * first moved by a millisecond, so that a handler that sets the same future time again is noticed.
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

/** A subscriber that attaches again after its last number whenever its connection breaks. */
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

  /** Resolves when an event with at least that number has arrived; then the follower leaves. */
  async reaches(seq: number): Promise<void> {
    for (;;) {
      await this.#attaching;
      // The object may have died once more in the meantime.
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
    this.#now = await untilDone(() => follow(this.#id, { after, include_silent: "true" }));
  }

  /** Attaches again. */
  again(): void {
    this.#take();
    this.#now?.close();
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
