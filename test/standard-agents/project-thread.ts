// A thread of a project under test: functions that send messages, read the thread, and call code with its state from a tool of a run or
// from an endpoint of the idle thread.

import type { ThreadState } from "@standardagents/spec";

import type { InputContent } from "#contract/content.ts";
import type { ThreadEvent } from "#contract/event.ts";
import type { Log, LogType } from "#contract/log-entry.ts";
import type { ListMessages, PostMessage } from "#contract/message-route.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import type { Thread } from "#contract/thread.ts";

import { admin, converse, follow, stubOf, value } from "../thread/thread-driver.ts";
import type { Acts } from "./project.ts";

interface Access {
  toolEffects: Acts;
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
}

/** A thread of a project under test. */
export class ProjectThread {
  readonly id: string;
  readonly #access: Access;

  constructor(id: string, access: Access) {
    this.id = id;
    this.#access = access;
  }

  /** Sends a message and waits for the end of the run. Returns the run's events. */
  say(content: InputContent, extra: Partial<PostMessage> = {}): Promise<ThreadEvent[]> {
    return converse(this.id, "", { content, ...extra });
  }

  /** Begins a run without a message and waits for its end. Returns its events. */
  async goOn(side?: "a" | "b"): Promise<ThreadEvent[]> {
    const requested = stubOf(this.id).call(
      "postRun",
      admin,
      { kind: "continue", ...(side === undefined ? {} : { side }) },
      null,
    );
    const { run, after } = await value(requested);
    const following = await follow(this.id, { after: String(after), run_id: run?.id ?? "" });
    await following.closed;
    return following.events;
  }

  async messages(query: Partial<ListMessages> = {}): Promise<Message[]> {
    const all = { limit: 1000, order: "asc", include_silent: true } as const;
    return (await value(stubOf(this.id).call("listMessages", admin, { ...all, ...query }))).items;
  }

  /** Contents of the stored messages, in order. */
  async contents(): Promise<(string | null)[]> {
    return (await this.messages()).map(({ content }) => content);
  }

  /** The result in the last tool message of the conversation. */
  async result(): Promise<Message["result"]> {
    return (await this.messages({ max_depth: 0 })).findLast(({ role }) => role === "tool")?.result ?? null;
  }

  async logs(type: LogType): Promise<Log[]> {
    return (await value(stubOf(this.id).call("listLogs", admin, { limit: 1000, order: "asc", type }))).items;
  }

  /** The run that began last. */
  async run(): Promise<Run> {
    const { items } = await value(stubOf(this.id).call("listRuns", admin, { limit: 1, order: "desc" }));
    const [run] = items;
    if (run === undefined) throw new Error("The thread has no run.");
    return run;
  }

  describe(): Promise<Thread> {
    return value(stubOf(this.id).call("describe", admin));
  }

  /** Calls the function with the state that an endpoint receives. */
  atRest<T>(work: (state: ThreadState) => T | Promise<T>): Promise<T> {
    return this.#act(work, async (key) => {
      const query = new URLSearchParams({ key }).toString();
      await this.#access.fetch(`/api/threads/${this.id}/act?${query}`, { method: "POST" });
    });
  }

  /** Calls the function with the state that a tool receives; the run then ends. Works only with the default script of the project. */
  inRun<T>(work: (state: ThreadState) => T | Promise<T>): Promise<T> {
    return this.#act(work, async (key) => void (await this.say(key)));
  }

  async #act<T>(work: (state: ThreadState) => T | Promise<T>, call: (key: string) => Promise<void>): Promise<T> {
    const key = `act:${crypto.randomUUID()}`;
    let outcome: (() => T) | null = null;
    this.#access.toolEffects.set(key, async (state) => {
      try {
        const result = await work(state);
        outcome = () => result;
      } catch (thrown) {
        outcome = () => {
          throw thrown instanceof Error ? thrown : new Error(String(thrown));
        };
      }
    });
    await call(key);
    if (outcome === null)
      throw new Error("The thread was asked, and what the test wanted to do in it was never called.");
    return (outcome as () => T)();
  }
}
