// Client tools: runs local functions for the remote calls of followed threads, and posts their results. Each client runs a call once, even
// if its event arrives again after a reconnect. If two clients answer the same call, the server accepts the first answer.

import type { Json, JsonObject } from "#contract/json.ts";

import { ThreadholdClientError } from "../client-error.ts";
import type { Follow } from "../follow/follow.ts";
import type { OpenCall } from "../follow/open-calls.ts";
import type { Requests } from "../send-request.ts";
import { messages } from "../thread-lists.ts";
import { callArguments } from "./call-arguments.ts";
import { failureReason, isContentRefusal, jsonOf } from "./refused-result.ts";

/** The call that a client tool runs for. */
export interface ClientCall {
  /** The call's id, the same in every client, so it can serve as an idempotency key. */
  readonly id: string;
  readonly name: string;
  readonly threadId: string;
  readonly runId: string | null;
  /** Microseconds since the epoch. After the deadline the server ends the call with an error. Null: no deadline. */
  readonly deadline: number | null;
  /** Aborted when the result is not needed any more: the call was answered by another client, its run ended, or the client was closed. */
  readonly signal: AbortSignal;
}

/** A client tool. Its return value is the result. If it throws, the model reads the error's message. */
export type ClientTool<A = JsonObject> = (args: A, call: ClientCall) => unknown;

/** Client tools by the names of the project's remote tools. */
export type ClientTools = Readonly<Record<string, ClientTool<never>>>;

/** Options of client tools. */
export interface ClientToolsOptions {
  /** Called if a call's arguments cannot be read or its result cannot be delivered. Without it the error is reported as uncaught. */
  onError?: ((error: unknown, call: ClientCall) => void) | undefined;
}

/** The maximum number of retries to deliver a result: enough for more than 12 hours. */
const deliveryRetries = 10_000;

/** Answers remote calls with the offered tools. */
export class ToolDesk {
  readonly #requests: Requests;
  readonly #tools = new Map<string, { run: ClientTool<never>; options: ClientToolsOptions }>();
  readonly #follows = new Set<Follow>();
  /** The started calls by thread and call id, until their run ends. */
  readonly #started = new Map<string, { controller: AbortController; runId: string | null }>();

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Offers tools for new and already pending calls until the returned function is called. */
  offer(tools: ClientTools, options: ClientToolsOptions): () => void {
    const entries = Object.entries(tools).map(([name, run]) => [name, { run, options }] as const);
    for (const [name] of entries) {
      if (this.#tools.has(name)) throw new TypeError(`The tool "${name}" is offered already.`);
    }
    for (const [name, entry] of entries) this.#tools.set(name, entry);
    for (const follow of this.#follows) this.#startCalls(follow);
    return () => {
      for (const [name, entry] of entries) if (this.#tools.get(name) === entry) this.#tools.delete(name);
    };
  }

  /** Answers the remote calls of a thread while it is followed. */
  attach(follow: Follow): void {
    this.#follows.add(follow);
    let known = follow.pending;
    follow.onEvent((event) => {
      const { pending } = follow;
      if (event.type === "run_end") this.#dropCallsOf(event.run_id ?? null);
      if (pending === known) return;
      for (const { id } of known) {
        if (!pending.some((call) => call.id === id)) this.#started.get(keyOf(follow, id))?.controller.abort();
      }
      known = pending;
      this.#startCalls(follow);
    });
    this.#startCalls(follow);
  }

  /** Ends the effect of `attach`. Started calls are finished. */
  detach(follow: Follow): void {
    this.#follows.delete(follow);
  }

  /** Removes all tools and aborts all calls. */
  close(): void {
    this.#tools.clear();
    for (const { controller } of this.#started.values()) controller.abort();
  }

  /** Aborts and removes the calls of an ended run. The thread's events do not contain these calls again. */
  #dropCallsOf(runId: string | null): void {
    for (const [key, { runId: of, controller }] of this.#started) {
      if (of !== runId) continue;
      controller.abort();
      this.#started.delete(key);
    }
  }

  #startCalls(follow: Follow): void {
    for (const call of follow.pending) {
      const tool = call.kind === "remote" ? this.#tools.get(call.name) : undefined;
      const key = keyOf(follow, call.id);
      if (tool === undefined || this.#started.has(key)) continue;
      const controller = new AbortController();
      this.#started.set(key, { controller, runId: call.run_id });
      const { signal } = controller;
      const clientCall: ClientCall = {
        id: call.id,
        name: call.name,
        threadId: follow.threadId,
        runId: call.run_id,
        deadline: call.deadline,
        signal,
      };
      this.#answer(follow, call, { clientCall: clientCall, run: tool.run }).catch((thrown: unknown) => {
        if (signal.aborted) return;
        if (tool.options.onError !== undefined) tool.options.onError(thrown, clientCall);
        else {
          queueMicrotask(() => {
            throw thrown;
          });
        }
      });
    }
  }

  async #answer(
    follow: Follow,
    call: OpenCall,
    prepared: { clientCall: ClientCall; run: ClientTool<never> },
  ): Promise<void> {
    const outcome = await this.#outcome(follow, call, prepared);
    try {
      await this.#deliver(prepared.clientCall, outcome);
    } catch (thrown) {
      if (isSettled(thrown)) return;
      if (!isContentRefusal(thrown)) throw thrown;
      // The error is posted as the call's result. Otherwise the call would stay pending until its deadline.
      await this.#deliver(prepared.clientCall, { error: failureReason(thrown) });
      throw thrown;
    }
  }

  async #outcome(
    follow: Follow,
    call: OpenCall,
    { clientCall, run }: { clientCall: ClientCall; run: ClientTool<never> },
  ): Promise<{ result: Json } | { error: string }> {
    // The arguments of a child thread's call are in the child's messages.
    const owner = call.thread_id ?? follow.threadId;
    const args = await callArguments(call, {
      known: follow.state.messages,
      newest: () =>
        messages(this.#requests, owner).list({ order: "desc", include_silent: true }, { signal: clientCall.signal }),
    });
    try {
      const value: unknown = await run(args as never, clientCall);
      return { result: jsonOf(value) };
    } catch (thrown) {
      return { error: failureReason(thrown) };
    }
  }

  async #deliver(call: ClientCall, outcome: { result: Json } | { error: string }): Promise<void> {
    await this.#requests.json("POST /api/threads/:id/tool-results", {
      params: { id: call.threadId },
      body: { results: [{ tool_call_id: call.id, ...outcome }] },
      repeatable: true,
      retries: deliveryRetries,
      signal: call.signal,
    });
  }
}

function keyOf({ threadId }: Follow, callId: string): string {
  return `${threadId} ${callId}`;
}

/** Whether another client has answered the call, or the call no longer exists. */
function isSettled(thrown: unknown): boolean {
  return thrown instanceof ThreadholdClientError && (thrown.status === 404 || thrown.code === "conflict");
}
