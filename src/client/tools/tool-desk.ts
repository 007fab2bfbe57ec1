// Remote tools as local functions: answers the calls of the threads that this client follows. Each call is made once per client,
// whatever is told of it again after a cut; two clients that answer the same call are sorted out by the server.

import type { Json, JsonObject } from "#contract/json.ts";

import { ThreadholdClientError } from "../client-error.ts";
import type { Follow } from "../follow/follow.ts";
import type { OpenCall } from "../follow/open-calls.ts";
import type { Requests } from "../request.ts";
import { messages } from "../thread-lists.ts";
import { callArguments } from "./call-arguments.ts";

/** What a function is told of its call. */
export interface ClientCall {
  /** Good as an idempotency key: the same for the same call, whoever makes it. */
  readonly id: string;
  readonly name: string;
  readonly threadId: string;
  readonly runId: string | null;
  /** Microseconds since epoch; then the call is answered without you. Null where nothing presses. */
  readonly deadline: number | null;
  /** Fires when the answer is not waited for any more: the call was answered elsewhere, its run ended, the client was closed. */
  readonly signal: AbortSignal;
}

/** A tool on the client's side. What it returns is the result; what it throws, an error that the model reads. */
export type ClientTool<A = JsonObject> = (args: A, call: ClientCall) => unknown;

/** Tools by the names that the project's definitions give them. */
export type ClientTools = Readonly<Record<string, ClientTool<never>>>;

/** How tools are offered. */
export interface ClientToolsOptions {
  /** Told of an answer that could not be delivered; without it the error is thrown where nobody is in its way. */
  onError?: ((error: unknown, call: ClientCall) => void) | undefined;
}

/** Goes on for about a day. */
const deliveryTries = 10_000;

/** Answers calls. */
export class ToolDesk {
  readonly #requests: Requests;
  readonly #tools = new Map<string, { run: ClientTool<never>; options: ClientToolsOptions }>();
  readonly #follows = new Set<Follow>();
  /** Calls that were taken up, by thread and id, until their run is over. */
  readonly #taken = new Map<string, { controller: AbortController; runId: string | null }>();

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Offers tools, from now on and for what waits already, until the function given back is called. */
  offer(tools: ClientTools, options: ClientToolsOptions): () => void {
    const entries = Object.entries(tools).map(([name, run]) => [name, { run, options }] as const);
    for (const [name] of entries) {
      if (this.#tools.has(name)) throw new TypeError(`The tool "${name}" is offered already.`);
    }
    for (const [name, entry] of entries) this.#tools.set(name, entry);
    for (const follow of this.#follows) this.#takeUp(follow);
    return () => {
      for (const [name, entry] of entries) if (this.#tools.get(name) === entry) this.#tools.delete(name);
    };
  }

  /** Answers what this thread asks for, as long as it is followed. */
  attend(follow: Follow): void {
    this.#follows.add(follow);
    let known = follow.pending;
    follow.onEvent((event) => {
      const { pending } = follow;
      if (event.type === "run_end") this.#forget(event.run_id ?? null);
      if (pending === known) return;
      for (const { id } of known) {
        if (!pending.some((call) => call.id === id)) this.#taken.get(keyOf(follow, id))?.controller.abort();
      }
      known = pending;
      this.#takeUp(follow);
    });
    this.#takeUp(follow);
  }

  /** The thread is not followed any more. What was begun is brought to its end. */
  leave(follow: Follow): void {
    this.#follows.delete(follow);
  }

  /** Nothing is answered any more. */
  close(): void {
    this.#tools.clear();
    for (const { controller } of this.#taken.values()) controller.abort();
  }

  /** Calls of a run that is over are never told of again. */
  #forget(runId: string | null): void {
    for (const [key, { runId: of, controller }] of this.#taken) {
      if (of !== runId) continue;
      controller.abort();
      this.#taken.delete(key);
    }
  }

  #takeUp(follow: Follow): void {
    for (const call of follow.pending) {
      const tool = call.kind === "remote" ? this.#tools.get(call.name) : undefined;
      const key = keyOf(follow, call.id);
      if (tool === undefined || this.#taken.has(key)) continue;
      const controller = new AbortController();
      this.#taken.set(key, { controller, runId: call.run_id });
      const { signal } = controller;
      const told: ClientCall = {
        id: call.id,
        name: call.name,
        threadId: follow.threadId,
        runId: call.run_id,
        deadline: call.deadline,
        signal,
      };
      this.#answer(follow, call, { told, run: tool.run }).catch((thrown: unknown) => {
        if (signal.aborted) return;
        if (tool.options.onError !== undefined) tool.options.onError(thrown, told);
        else {
          queueMicrotask(() => {
            throw thrown;
          });
        }
      });
    }
  }

  async #answer(follow: Follow, call: OpenCall, made: { told: ClientCall; run: ClientTool<never> }): Promise<void> {
    const outcome = await this.#outcome(follow, call, made);
    try {
      await this.#deliver(made.told, outcome);
    } catch (thrown) {
      if (isSettled(thrown)) return;
      if (!(thrown instanceof ThreadholdClientError)) throw thrown;
      if (thrown.code !== "too_large" && thrown.code !== "invalid_request") throw thrown;
      // The model reads it in place of a result, or nobody would hear of the call before its deadline.
      const tooLarge = thrown.code === "too_large";
      await this.#deliver(made.told, { error: tooLarge ? "The tool's result is too large." : thrown.message });
      if (!tooLarge) throw thrown;
    }
  }

  async #outcome(
    follow: Follow,
    call: OpenCall,
    { told, run }: { told: ClientCall; run: ClientTool<never> },
  ): Promise<{ result: Json } | { error: string }> {
    // A call of a child thread stands in the child's messages.
    const owner = call.thread_id ?? follow.threadId;
    const args = await callArguments(call, {
      known: follow.state.messages,
      newest: () =>
        messages(this.#requests, owner).list({ order: "desc", include_silent: true }, { signal: told.signal }),
    });
    try {
      const value: unknown = await run(args as never, told);
      return { result: jsonOf(value) };
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { error: message === "" ? "The tool failed." : message };
    }
  }

  async #deliver(call: ClientCall, outcome: { result: Json } | { error: string }): Promise<void> {
    await this.#requests.json("POST /api/threads/:id/tool-results", {
      params: { id: call.threadId },
      body: { results: [{ tool_call_id: call.id, ...outcome }] },
      repeatable: true,
      retries: deliveryTries,
      signal: call.signal,
    });
  }
}

function keyOf({ threadId }: Follow, callId: string): string {
  return `${threadId} ${callId}`;
}

/** What cannot be JSON is the tool's own fault, which the model may as well know; nothing is null. */
function jsonOf(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}

/** Somebody else answered first, or the call is over. */
function isSettled(thrown: unknown): boolean {
  return thrown instanceof ThreadholdClientError && (thrown.status === 404 || thrown.code === "conflict");
}
