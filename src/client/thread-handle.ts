// One thread as a client holds it: everything that can be asked of it, what is known of it while it is followed, and sends.
// A handle by itself costs nothing and opens nothing.

import type { EventOf, EventType, ThreadEvent } from "#contract/event.ts";
import { emptyView } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";

import { ThreadholdClientError, ThreadholdNetworkError } from "./client-error.ts";
import type { CustomEventName, CustomEvents } from "./custom-event.ts";
import { EventQueue } from "./event-queue.ts";
import { files } from "./files.ts";
import type { Files } from "./files.ts";
import type { Connection } from "./follow/connection.ts";
import type { Follow, Known } from "./follow/follow.ts";
import type { OpenCall } from "./follow/open-calls.ts";
import { openSse } from "./follow/sse-carrier.ts";
import { threadStream } from "./follow/stream.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./request.ts";
import type { RouteBody } from "./route-type.ts";
import { Sending } from "./sending.ts";
import type { SendingOptions } from "./sending.ts";
import { logs, messages, queue, runs } from "./thread-lists.ts";
import type { Logs, Messages, NewMessage, Queue, Runs } from "./thread-lists.ts";
import type { ThreadChange, Threads } from "./threads.ts";
import { toolResults } from "./tool-results.ts";
import type { ToolResults } from "./tool-results.ts";

/** How a message is sent, beside its content. */
export type SendOptions = Omit<NewMessage, "content" | "run"> & KeyedOptions & SendingOptions;

/** How a run without a message is asked for. */
export type ContinueOptions = RouteBody<"POST /api/threads/:id/runs"> & KeyedOptions & SendingOptions;

/** What a handle is made of. */
export interface HandlePorts {
  requests: Requests;
  threads: Threads;
  /** The thread's subscription if one is open. */
  followed: () => Follow | undefined;
  /** The same, opened where there is none, from what was known. */
  follow: (from: Known | undefined) => Follow;
  /** A subscription that nobody shares, behind this number; it keeps no state. */
  replay: (after: number, silent: boolean) => Follow;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
}

/** Which events are read. */
export interface EventsOptions extends RequestOptions {
  /** Stored events after this number first, 0 for all there are; then those to come. Opens a connection of its own. */
  after?: number | undefined;
  /** With `after` or `until`: events of silent messages, too. */
  silent?: boolean | undefined;
  /** Events of these types only. */
  types?: readonly EventType[] | undefined;
  /**
   * `idle`: ends when no run is active. Such events come over a connection of their own, which is not opened again: where it breaks,
   * the loop throws a `ThreadholdNetworkError`.
   */
  until?: "idle" | undefined;
}

const left: Connection = { state: "closed", error: null };
const none: readonly OpenCall[] = [];

/** Tries of what a send has to know in the end. */
const patientTries = 10_000;

/** A thread. */
export class ThreadHandle {
  readonly id: string;
  readonly messages: Messages;
  readonly runs: Runs;
  readonly queue: Queue;
  readonly logs: Logs;
  readonly files: Files;
  readonly tools: ToolResults;
  readonly #ports: HandlePorts;
  #last: Follow | undefined;

  constructor(id: string, ports: HandlePorts) {
    const { requests } = ports;
    // An id that no address can carry is refused here, not at each of its requests.
    requests.address("GET /api/threads/:id", { params: { id } });
    this.id = id;
    this.#ports = ports;
    this.messages = messages(requests, id);
    this.runs = runs(requests, id);
    this.queue = queue(requests, id);
    this.logs = logs(requests, id);
    this.files = files(requests, id);
    this.tools = toolResults(requests, id);
  }

  get(options?: RequestOptions): Promise<Thread> {
    return this.#ports.threads.get(this.id, options);
  }

  patch(change: ThreadChange, options?: RequestOptions): Promise<Thread> {
    return this.#ports.threads.patch(this.id, change, options);
  }

  delete(options?: RequestOptions): Promise<void> {
    return this.#ports.threads.delete(this.id, options);
  }

  /**
   * Sends a message and follows the run that answers it: loop over it for events, over its `text` for words, await it for the
   * run as it ended. The message is posted once, whatever happens to the connection.
   */
  send(content: NewMessage["content"], options: SendOptions = {}): Sending {
    const { signal, stopOnAbort, until, idempotencyKey, ...message } = options;
    const post = async () => (await this.messages.post({ content, ...message }, { idempotencyKey })).run;
    return this.#sending(post, { signal, stopOnAbort, until });
  }

  /** A run without a message; follows it as `send` does. */
  continue(options: ContinueOptions = {}): Sending {
    const { signal, stopOnAbort, until, idempotencyKey, ...run } = options;
    return this.#sending(() => this.runs.post(run, { idempotencyKey }), { signal, stopOnAbort, until });
  }

  /** Stops the active run, or the one named; answers once that is durable. Stopping an idle thread is fine. */
  async stop(runId?: string, { signal }: RequestOptions = {}): Promise<ThreadStatus> {
    const request = { params: { id: this.id }, body: { run_id: runId }, repeatable: true, signal };
    return (await this.#ports.requests.json("POST /api/threads/:id/stop", request)).status;
  }

  /** What is known of the thread, as its events tell it. Parts that do not change stay the same objects. */
  get state(): ThreadView {
    return this.#follow?.state ?? emptyView;
  }

  /** Calls that wait for a client or for a decision, while the thread is followed. The same list until they change. */
  get pending(): readonly OpenCall[] {
    return this.#follow?.pending ?? none;
  }

  /** How the subscription stands; `closed` without an error while nobody follows. */
  get connection(): Connection {
    return this.#follow?.connection ?? left;
  }

  /** Follows the thread, and calls `listener` whenever `state` or `connection` is another. Leave with what is given back. */
  subscribe(listener: () => void): () => void {
    const follow = this.#hold();
    const unlisten = follow.follow.onChange(listener);
    return () => {
      unlisten();
      follow.release();
    };
  }

  /** Follows the thread until what is given back is called; tools that were offered are called meanwhile. */
  follow(): () => void {
    return this.#hold().release;
  }

  /** The thread's events from now on, without end; a snapshot first, unless it is followed already. `EventsOptions` changes both. */
  async *events(options: EventsOptions = {}): AsyncGenerator<ThreadEvent, void, undefined> {
    const { signal, until } = options;
    signal?.throwIfAborted();
    const queue = new EventQueue<ThreadEvent>({ once: true });
    const close = until === undefined ? this.#listen(queue, options) : this.#readUntilEnd(queue, options);
    const abort = (): void => queue.fail(signal?.reason);
    signal?.addEventListener("abort", abort);
    try {
      yield* queue.read();
    } finally {
      signal?.removeEventListener("abort", abort);
      close();
    }
  }

  /** Follows the thread, and calls `listener` for every event of a type. */
  on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void {
    const { follow, release } = this.#hold();
    const unlisten = follow.onEvent((event) => {
      if (event.type === type) listener(event as EventOf<T>);
    });
    return () => {
      unlisten();
      release();
    };
  }

  /** Follows the thread, and calls `listener` with what each custom event of this name carries. */
  onCustom<N extends CustomEventName>(name: N, listener: (data: CustomEvents[N]) => void): () => void {
    return this.on("custom", (event) => {
      if (event.name === name) listener(event.data as CustomEvents[N]);
    });
  }

  get #follow(): Follow | undefined {
    this.#last = this.#ports.followed() ?? this.#last;
    return this.#last;
  }

  #hold(): { follow: Follow; release: () => void } {
    const known = this.#follow;
    const follow = this.#ports.follow(known?.anchored === true && !isGone(known) ? known : undefined);
    this.#last = follow;
    return { follow, release: follow.hold() };
  }

  /** Adds the events of a subscription to a queue until the returned function is called. */
  #listen(queue: EventQueue<ThreadEvent>, { after, silent = false, types }: EventsOptions): () => void {
    const { follow, release } = after === undefined ? this.#hold() : held(this.#ports.replay(after, silent));
    const unlisten = [
      follow.onEvent((event) => {
        if (types?.includes(event.type) !== false) queue.push(event);
      }),
      follow.onChange(() => {
        const { connection } = follow;
        if (connection.state !== "closed") return;
        queue.fail(connection.error ?? new ThreadholdNetworkError("The client was closed."));
      }),
    ];
    return () => {
      for (const leave of unlisten) leave();
      release();
    };
  }

  /** Adds the events of a stream that the server ends to a queue. The returned function closes the connection. */
  #readUntilEnd(queue: EventQueue<ThreadEvent>, { after, ...options }: EventsOptions): () => void {
    const { requests, closed } = this.#ports;
    const fail = (error: Error): void => queue.fail(error);
    const refuse = (): void => fail(new ThreadholdNetworkError("The client was closed."));
    closed.addEventListener("abort", refuse);
    if (closed.aborted) refuse();
    const carrying = openSse(
      { requests, stream: threadStream(this.id, options), after: after ?? null },
      {
        opened: () => undefined,
        // The server that is asked is built with the same schemas.
        event: (event) => queue.push(event as ThreadEvent),
        lost: fail,
        refused: fail,
        ended: () => queue.end(),
      },
    );
    return () => {
      closed.removeEventListener("abort", refuse);
      carrying.close();
    };
  }

  #sending(post: () => ReturnType<Runs["post"]>, options: SendingOptions): Sending {
    const { requests } = this.#ports;
    return new Sending(
      {
        hold: () => this.#hold(),
        post,
        read: (rid, signal) =>
          requests.json("GET /api/threads/:id/runs/:rid", {
            params: { id: this.id, rid },
            retries: patientTries,
            signal,
          }),
        stop: (runId) => this.stop(runId),
      },
      options,
    );
  }
}

/** The thread was deleted. One that was made anew under its id has numbers of its own. */
function isGone({ connection }: Follow): boolean {
  const error = connection.state === "closed" ? connection.error : null;
  return error instanceof ThreadholdClientError && error.code === "thread_not_found";
}

/** A subscription that is closed with its one reader. */
function held(follow: Follow): { follow: Follow; release: () => void } {
  return { follow, release: () => follow.close() };
}
