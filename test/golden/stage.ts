// Runs one play: a thread with an owner of its own, driven over HTTP, with event readers that are connected from the first event on.
// Requests, responses and row counts are recorded for the transcript.

import { createExecutionContext, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";

import type { AnyModelDefinition, TestRequest } from "#spec/index.ts";
import { longestHeartbeatMs } from "#thread/alarm.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { serve } from "../standard-agents/project.ts";
import type { Changes } from "../standard-agents/project.ts";
import { watch } from "../thread/feed-watcher.ts";
import type { Watching } from "../thread/feed-watcher.ts";
import { latch } from "../thread/team-driver.ts";
import type { Latch } from "../thread/team-driver.ts";
import { alarmOf, stubOf } from "../thread/thread-driver.ts";
import { skip, testClock } from "../worker/clock.ts";
import { crossing } from "../worker/crossing.ts";
import { registry } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import type { Place } from "../worker/places.ts";
import { EventReader, withoutDeltas } from "./event-reader.ts";
import { asText } from "./normal-form.ts";
import { keptFile, keptPaths, readStored, toLines } from "./stored-thread.ts";

/** A conversation with a golden transcript. */
export interface GoldenPlay {
  /** Name of the transcript file. */
  name: string;
  /** Agent of the play's thread. A play without an agent creates its threads itself. */
  agent?: string;
  /** More fields of the request that creates the thread. */
  extra?: object;
  /** Definitions that replace those of the test Worker. */
  project?: () => Changes;
  /** Rows are not counted: the object is killed, which resets the count. */
  uncounted?: true;
  /**
   * No reader is connected while the play runs. A child thread relays its events to a parent with readers, and their position
   * depends on timing, as does what a reader has received when the object is killed.
   */
  unwatched?: true;
  run: (stage: Stage) => Promise<void>;
}

/** A request of the play and its answer. */
export interface Exchange {
  method: string;
  path: string;
  body: unknown;
  status: number;
  answer: string;
  headers: Record<string, string>;
}

/** Storage operations of one turn. */
export interface Turn {
  name: string;
  written: number;
  read: number;
  alarms: number;
  /** True if an alarm is set at the end of the turn. */
  alarm: boolean;
}

const hourMs = 60 * 60 * 1000;

/** A server that records requests, and the id that marks those of the play. */
interface Wire {
  url: string;
  id: string;
}

/** The real app over the current registry, with two users: the owner and another one. */
function appOf(owner: string): (request: Request) => Promise<Response> {
  const { fetch } = compose(registry, {});
  const users = {
    ...(env as unknown as Environment),
    OPEN_LOOPBACK: "",
    API_TOKENS: `owner-secret=${owner},other-secret=other`,
    LIMIT_ADMISSIONS_PER_MINUTE: "100000",
  };
  return (request) => Promise.resolve(fetch(request, users, createExecutionContext()));
}

/** Sends a GET request as the owner. */
export function ownerFetch(owner: string, path: string): Promise<Response> {
  return appOf(owner)(new Request(`https://api.example${path}`, { headers: { authorization: "Bearer owner-secret" } }));
}

/** The state of one play. */
export class Stage {
  readonly play: GoldenPlay;
  readonly owner: string;
  readonly exchanges: Exchange[] = [];
  readonly turns: Turn[] = [];
  /** Requests to scripted models. */
  readonly requested: { model: string; request: TestRequest }[] = [];
  /** Recording servers that the play uses. */
  readonly wires: { model?: Wire; outbound?: Wire; effects?: Wire } = {};
  /** The threads of the play. Readers follow the first one. */
  readonly threads: string[] = [];
  feed: Watching | null = null;
  live: EventReader | null = null;
  quiet: EventReader | null = null;
  /** Background work that is under way, by thread: how many calls of it have begun and not ended. */
  readonly #working = new Map<string, number>();
  /** By thread, the catalog write that was requested last, and the one that is being sent. */
  readonly #flushes = new Map<string, Latch>();
  readonly #sending = new Map<string, Latch | undefined>();
  /** Threads that are forwarding answers of a client to a child. */
  readonly #posting = new Set<string>();
  /** Called when an object passes the place of that name. */
  readonly #passing = new Map<string, () => void>();
  readonly #fetch: (request: Request) => Promise<Response>;
  #restore = (): void => {};

  constructor(play: GoldenPlay) {
    this.play = play;
    this.owner = `owner-of-${play.name}`;
    // Alarms are set by the thread's clock. An hour ahead, none fires during a test: a heartbeat would write one more row.
    skip(hourMs);
    if (play.project !== undefined) serve(play.project());
    this.#record();
    onPlace((place) => this.#pass(place));
    this.#fetch = appOf(this.owner);
  }

  /** Id of the play's first thread. */
  get id(): string {
    return this.threads[0] ?? "";
  }

  /** Creates the thread and connects the readers. */
  async open(): Promise<void> {
    this.feed = await watch(this.owner);
    const { agent, extra } = this.play;
    if (agent === undefined) return;
    const made = await this.ask<{ id: string }>("POST", "/api/threads", { agent_id: agent, ...extra });
    await this.follow(made.id);
  }

  /** Adds a thread to the play; the first one is followed by readers. */
  async follow(id: string): Promise<void> {
    this.threads.push(id);
    if (this.threads.length > 1 || this.play.unwatched === true) return;
    const path = `/api/threads/${id}/events?after=0`;
    this.live = new EventReader(await this.send("GET", path));
    this.quiet = new EventReader(await this.send("GET", `${path}&types=${withoutDeltas}`));
  }

  /** Sends a request as the owner, without recording it. */
  send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", "Bearer owner-secret");
    return this.#fetch(new Request(`https://api.example${path}`, { ...init, method, headers }));
  }

  /** Sends a request as the owner and records it. A path that does not begin with /api is relative to the play's thread. */
  async ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const whole = path.startsWith("/api") ? path : `/api/threads/${this.id}${path}`;
    const isJson = body !== undefined && !(body instanceof Uint8Array) && typeof body !== "string";
    const isExport = whole.endsWith("/import");
    const response = await this.send(method, whole, {
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
      headers: {
        ...(isJson ? { "content-type": "application/json" } : {}),
        ...(isExport ? { "content-type": "application/x-ndjson" } : {}),
        ...headers,
      },
    });
    const answer = new TextDecoder().decode(await response.arrayBuffer());
    this.exchanges.push({
      method,
      path: whole,
      // The length of an export depends on measured durations.
      body: body instanceof Uint8Array ? (isExport ? "an export" : `${String(body.length)} bytes`) : body,
      status: response.status,
      answer,
      headers: Object.fromEntries(response.headers),
    });
    const isText = response.headers.get("content-type")?.includes("json") !== true;
    return (isText ? answer : JSON.parse(answer)) as T;
  }

  /** Posts a message and waits for the end of its run. */
  async say(content: unknown, extra: object = {}): Promise<void> {
    await this.ended(() => this.ask("POST", "/messages", { content, ...extra }));
  }

  /** Does the work, then waits until as many runs have ended as given and no alarm is set. */
  async ended(work: () => Promise<unknown>, runs = 1): Promise<void> {
    const before = this.live?.count("run_end") ?? 0;
    await work();
    await this.live?.reaches(() => (this.live?.count("run_end") ?? 0) >= before + runs);
    if (this.live === null) await this.calm();
    else await this.settled();
  }

  /** Waits until no run is active or the active run is suspended, and its background work is done. */
  async calm(): Promise<void> {
    let waits = false;
    await this.until(async () => {
      const answer = await stubOf(this.id).call("describe", { user: null, admin: true });
      waits = answer.ok && answer.value.pending_tool_calls.length > 0;
      return answer.ok && (answer.value.active_run_id === null || waits);
    });
    if (waits) await this.suspended();
    else await this.settled();
  }

  /** Waits until a condition holds. */
  async until(waitFor: () => boolean | Promise<boolean>): Promise<void> {
    await vi.waitUntil(waitFor, { timeout: 20_000, interval: 2 });
  }

  /** Waits until the play's run is suspended. Then its alarm is further away than any heartbeat. */
  async suspended(): Promise<void> {
    await this.until(async () => {
      const alarm = await alarmOf(this.id);
      return alarm !== null && alarm > testClock.now() / 1000 + longestHeartbeatMs;
    });
  }

  /** Ends the readers, before their thread is deleted. */
  async leave(): Promise<void> {
    await this.live?.leave();
    await this.quiet?.leave();
    [this.live, this.quiet] = [null, null];
  }

  /** Waits until no thread of the play has an alarm, and its background work is done. A change of an idle thread sets no alarm. */
  async settled(): Promise<void> {
    const isDone = async (id: string) => (await alarmOf(id)) === null && (this.#working.get(id) ?? 0) === 0;
    for (const id of this.threads) await this.until(() => isDone(id));
  }

  /** Resolves when an object first passes the place of that name (test/worker/places.ts). */
  passed(name: string): Promise<void> {
    const { promise, resolve } = crossing();
    this.#passing.set(name, resolve);
    return promise;
  }

  /** Counts background work. Lets a child deliver its result only when its own entry in the catalog is written: its row shows the order. */
  #pass({ thread, name, to = "" }: Place): Promise<void> | void {
    const working = this.#working.get(thread) ?? 0;
    if (name === "sleep.written") this.#working.set(thread, working + 1);
    if (name === "sleep.sweep") this.#working.set(thread, working - 1);
    if (name === "sleep.flush") this.#flushes.set(thread, latch());
    if (name === "outbox.send") this.#sending.set(thread, this.#flushes.get(thread));
    if (name === "after flush") this.#sending.get(thread)?.open();
    this.#passing.get(name)?.();
    // A message that reaches a parent during its background work makes it look once more whether something is due, which reads rows.
    if (name === "before postToolResults") this.#posting.add(thread);
    if (name === "after postToolResults") this.#posting.delete(thread);
    if (name === "before childCalls") return this.#workDone(to);
    if (name === "before deliver") return this.#flushes.get(thread)?.passed.then(() => this.#workDone(to));
  }

  /** Resolves when a thread forwards no answers and its background work is done. */
  #workDone(thread: string): Promise<void> {
    return this.until(() => !this.#posting.has(thread) && (this.#working.get(thread) ?? 0) === 0);
  }

  /** Does a part of the play, and counts the rows that the thread reads and writes meanwhile. */
  async turn(name: string, work: () => Promise<unknown>): Promise<void> {
    const before = await stubOf(this.id).rows();
    await work();
    const after = await stubOf(this.id).rows();
    this.turns.push({
      name,
      written: after.rowsWritten - before.rowsWritten,
      read: after.rowsRead - before.rowsRead,
      alarms: after.alarms - before.alarms,
      alarm: (await alarmOf(this.id)) !== null,
    });
  }

  /**
   * Stores the thread's rows and export as a fixture for later releases, unless this schema has one of this name. A thread with an
   * interrupted run is only read from its storage, since a request would resume the run.
   */
  async keep(name: string, isInterrupted = false): Promise<void> {
    const stored = await readStored(this.id, this.owner, testClock.now() / 1000);
    const version = asText(stored.rows.find(({ table }) => table === "thread")?.row["schema_version"]);
    const file = `schema-${version}.${name}`;
    if (!inject("golden").write || (await fetch(keptFile(`${file}.rows.jsonl`))).ok) return;
    const thread = `/api/threads/${this.id}`;
    if (!isInterrupted) {
      for (const path of keptPaths) stored.answers[path] = await (await this.send("GET", thread + path)).json();
      const exported = await (await this.send("GET", `${thread}/export?files=true`)).arrayBuffer();
      await fetch(keptFile(`${file}.export.ndjson`), { method: "PUT", body: exported });
    }
    await fetch(keptFile(`${file}.rows.jsonl`), { method: "PUT", body: toLines(stored) });
  }

  /** Fires the thread's alarm. */
  async wake(): Promise<void> {
    await runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(this.id)));
  }

  /** Closes the feed and restores the registry. */
  close(): void {
    onPlace(null);
    this.feed?.socket.close(1000, "done");
    this.#restore();
  }

  /** Records the requests to all scripted models. */
  #record(): void {
    const { models } = registry;
    const recorded = Object.entries(models).map(([name, load]) => [
      name,
      async () => {
        const model = (await load()) as AnyModelDefinition & { script?: unknown };
        const { script } = model;
        if (typeof script !== "function") return model;
        const answer = script as (request: TestRequest) => unknown;
        return {
          ...model,
          script: (request: TestRequest) => {
            this.requested.push({ model: name, request: structuredClone(request) });
            return answer(request);
          },
        };
      },
    ]);
    Object.assign(registry, { models: Object.fromEntries(recorded) as typeof models });
    this.#restore = () => void Object.assign(registry, { models });
  }
}
