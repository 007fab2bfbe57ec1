// Calls a thread's object as the `http` layer does: by RPC and the subscriber socket. Everything waits for events, never for time.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { createAcknowledger } from "#contract/acknowledger.ts";
import type { ThreadEvent } from "#contract/event.ts";
import type { PostMessage } from "#contract/message-route.ts";
import type { ThreadPeer } from "#core/rpc/thread-peer.ts";
import type { Result, Caller, ThreadStub } from "#core/rpc/thread-rpc.ts";
import { callerHeader, subscribePath } from "#core/rpc/thread-rpc.ts";
import { platformTimers } from "#lib/timers.ts";
import { orderProblems } from "#testing/transcript-invariants.ts";

import { reportWait } from "./open-waits.ts";

export const admin: Caller = { user: null, admin: true };

/** The stub of a thread, a new one each time. */
export function stubOf(
  id: string,
): ThreadStub & { rows(): Promise<{ rowsRead: number; rowsWritten: number; alarms: number }> } {
  return env.THREADS.get(env.THREADS.idFromName(id)) as never;
}

/** The stub of a thread as other threads call it, a new one each time. */
export function peerOf(id: string): ThreadPeer {
  return env.THREADS.get(env.THREADS.idFromName(id)) as never;
}

/** The value of a result; a refusal is thrown. */
export async function value<T>(answer: Promise<Result<T>>): Promise<T> {
  const got = await answer;
  if (!got.ok) throw new Error(`${got.refusal.code}: ${got.refusal.message}`);
  return got.value;
}

/** Creates a thread and returns its id. */
export async function newThread(agent: string, extra: object = {}): Promise<string> {
  const id = crypto.randomUUID();
  await value(stubOf(id).call("create", admin, { id, agent_id: agent, user_id: null, creation: id, ...extra }));
  return id;
}

/** A message in the form in which the route passes it on. */
export function message(content: string, extra: Partial<PostMessage> = {}): PostMessage {
  return { content, role: "user", silent: false, metadata: {}, when: "queue", run: true, ...extra };
}

/** An open subscription. */
export interface Following {
  events: ThreadEvent[];
  /** Resolves with the first fitting event, past or future. */
  until(fits: (event: ThreadEvent) => boolean): Promise<ThreadEvent>;
  /** Resolves with the close code. */
  closed: Promise<number>;
  close(): void;
}

/** Subscribes to a thread. Acknowledges received events as the HTTP layer does. */
export async function follow(id: string, query: Record<string, string> = {}): Promise<Following> {
  const search = new URLSearchParams(query).toString();
  const response = await stubOf(id).fetch(
    new Request(`https://thread${subscribePath}?${search}`, {
      headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(admin) },
    }),
  );
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket: ${response.status} ${await response.text()}`);
  const events: ThreadEvent[] = [];
  const waiting = new Set<() => void>();
  let done = false;
  let disorder: string | undefined;
  const after = Number(query["after"] ?? 0);
  const acknowledger = createAcknowledger(platformTimers, (seq) => {
    if (!done) socket.send(JSON.stringify({ type: "ack", seq }));
  });
  socket.addEventListener("message", ({ data }) => {
    const text = String(data);
    const event = JSON.parse(text) as ThreadEvent | { type: "end" };
    if (event.type === "end") return;
    events.push(event);
    // A reader resumes after its last number, so an event that is sent after one with a higher number would be lost.
    disorder ??= orderProblems(events.slice(-2), events.length === 1 ? after : undefined)[0];
    if (!done) acknowledger.taken(event.seq, text.length);
    for (const wake of waiting) wake();
  });
  const closed = new Promise<number>((resolve) => {
    // An object that dies closes no socket; the connection breaks.
    socket.addEventListener("error", () => {
      acknowledger.stop();
      resolve(1006);
    });
    socket.addEventListener("close", (event) => {
      acknowledger.stop();
      resolve(event.code);
      socket.close();
    });
  });
  socket.accept();
  return {
    events,
    get closed() {
      return reportWait(closed, { thread: id, what: `the end of the subscription "${search}"`, events });
    },
    close: () => {
      done = true;
      acknowledger.stop();
      socket.close(1000, "done");
    },
    until: (fits) => {
      const fitting = new Promise<ThreadEvent>((resolve, reject) => {
        const look = () => {
          if (disorder !== undefined) reject(new Error(disorder));
          const found = events.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
      return reportWait(fitting, { thread: id, what: `an event: ${String(fits)}`, events });
    },
  };
}

/** The event with the id and the title of its thread alone: on replay `thread_updated` contains the thread as it is then. */
export function withNamedThread(event: ThreadEvent): object {
  if (event.type !== "thread_updated") return event;
  const { id, title } = event.thread;
  return { ...event, thread: { id, title } };
}

/** Sends a message and follows its run to the end. Returns the run's events. */
export async function converse(id: string, text: string, extra: Partial<PostMessage> = {}): Promise<ThreadEvent[]> {
  const { run, after } = await value(stubOf(id).call("postMessage", admin, message(text, extra), null));
  const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
  await following.closed;
  return following.events;
}

/** Kills the object of a thread. */
export function crash(id: string): Promise<void> {
  return kill(env.THREADS.get(env.THREADS.idFromName(id)));
}

const plannedDeath = "planned death: crash";

/** Kills an object as a crash would: its memory is lost, its rows are kept. Rejects if the object did not die. */
export async function kill(stub: DurableObjectStub): Promise<void> {
  const end: unknown = await runInDurableObject(stub, async (_, state) => {
    await state.storage.sync();
    state.abort(plannedDeath);
  }).catch((thrown: unknown) => thrown);
  if (!String(end).includes(plannedDeath)) throw new Error(`The object did not die as planned: ${String(end)}`);
}

/** The time of the object's alarm in milliseconds; null if none is set. */
export function alarmOf(id: string): Promise<number | null> {
  return runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) => state.storage.getAlarm());
}

/** Evicts the object as the platform does with an idle one: it waits for everything that still runs in it. */
export async function evict(id: string): Promise<void> {
  const unsafe = (await import("workerd:unsafe")).default;
  await unsafe.evict(env.THREADS.get(env.THREADS.idFromName(id)), { webSockets: "hibernate" });
}

/** Types of events, in order. */
export function types(events: readonly ThreadEvent[]): string[] {
  return events.map((event) => event.type);
}
