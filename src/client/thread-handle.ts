// One thread: its requests, its state while it is followed, and sending messages. Creating a handle sends nothing and opens no
// connection.

import type { ThreadContext } from "#contract/context-route.ts";
import type { EventOf, EventType, ThreadEvent } from "#contract/event.ts";
import { emptyView } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";
import type { Json } from "#contract/json.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";

import { toolResults } from "./call-results.ts";
import type { ToolResults } from "./call-results.ts";
import { ThreadholdClientError, ThreadholdNetworkError } from "./client-error.ts";
import type { CustomEventName, CustomEvents } from "./custom-event.ts";
import { EventQueue } from "./event-queue.ts";
import { files } from "./files.ts";
import type { Files } from "./files.ts";
import type { Connection } from "./follow/connection.ts";
import type { Follow, FollowState } from "./follow/follow.ts";
import type { OpenCall } from "./follow/open-calls.ts";
import { openSse } from "./follow/sse-carrier.ts";
import { threadStream } from "./follow/stream.ts";
import type { RouteBody } from "./route-type.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./send-request.ts";
import { Sending } from "./sending.ts";
import type { SendingOptions } from "./sending.ts";
import { branches, logs, messages, queue, runs } from "./thread-lists.ts";
import type { Branches, Logs, Messages, NewMessage, Queue, Runs } from "./thread-lists.ts";
import type { ThreadChange, Threads } from "./threads.ts";

/** Options of `send`. */
export type SendOptions = Omit<NewMessage, "content" | "run"> & KeyedOptions & SendingOptions;

/** Options of `continue`. */
export type ContinueOptions = RouteBody<"POST /api/threads/:id/runs"> & KeyedOptions & SendingOptions;

/** Options of `rerun` and `edit`. */
export type BranchOptions = Omit<ContinueOptions, "kind" | "from" | "content" | "side">;

/** Dependencies of a handle. */
export interface HandlePorts {
  requests: Requests;
  threads: Threads;
  /** The thread's shared subscription, if one is open. */
  followed: () => Follow | undefined;
  /** Returns the thread's shared subscription. If none is open, opens one that resumes from `from`. */
  follow: (from: FollowState | undefined) => Follow;
  /** Opens a subscription that continues after an event number and keeps no state. Only its caller reads it. */
  replay: (after: number, silent: boolean) => Follow;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
}

/** Options of `events`. */
export interface EventsOptions extends RequestOptions {
  /** Yields first the stored events after this number (0 for all), then new ones. Opens a separate connection. */
  after?: number | undefined;
  /** With `after` or `until`: whether to include events of silent messages. */
  silent?: boolean | undefined;
  /** Only events of these types. */
  types?: readonly EventType[] | undefined;
  /**
   * `idle`: the loop ends when no run is active. The events come over a separate connection that does not reconnect: if it fails,
   * the loop throws a `ThreadholdNetworkError`.
   */
  until?: "idle" | undefined;
}

const closedConnection: Connection = { state: "closed", error: null };
const noCalls: readonly OpenCall[] = [];

/** The maximum number of retries to read the end of a run. The caller waits for that end, so the retries continue for over 12 hours. */
const readRunRetries = 10_000;

/** A handle of a thread. */
export class ThreadHandle {
  readonly id: string;
  readonly messages: Messages;
  readonly runs: Runs;
  readonly branches: Branches;
  readonly queue: Queue;
  readonly logs: Logs;
  readonly files: Files;
  readonly tools: ToolResults;
  readonly #ports: HandlePorts;
  #lastFollow: Follow | undefined;

  constructor(id: string, ports: HandlePorts) {
    const { requests } = ports;
    // Refuses an id that cannot be part of an address now, and not at the first request.
    requests.address("GET /api/threads/:id", { params: { id } });
    this.id = id;
    this.#ports = ports;
    this.messages = messages(requests, id);
    this.runs = runs(requests, id);
    this.branches = branches(requests, id);
    this.queue = queue(requests, id);
    this.logs = logs(requests, id);
    this.files = files(requests, id);
    this.tools = toolResults(requests, id);
  }

  get(options?: RequestOptions): Promise<Thread> {
    return this.#ports.threads.get(this.id, options);
  }

  /** What the next request to the model contains so far, with estimated tokens. */
  context(options?: RequestOptions): Promise<ThreadContext> {
    return this.#ports.requests.json("GET /api/threads/:id/context", { ...options, params: { id: this.id } });
  }

  patch(change: ThreadChange, options?: RequestOptions): Promise<Thread> {
    return this.#ports.threads.patch(this.id, change, options);
  }

  delete(options?: RequestOptions): Promise<void> {
    return this.#ports.threads.delete(this.id, options);
  }

  /**
   * Sends a message and follows the run that answers it. Loop over the result for events or over its `text` for pieces of text;
   * await it for the ended run. The message is posted once, even if the connection fails and is retried. `Data` is the type of
   * `run.data` of a structured answer, such as `PromptData<typeof prompt>`.
   */
  send<Data = Json>(content: NewMessage["content"], options: SendOptions = {}): Sending<Data> {
    const { signal, stopOnAbort, until, idempotencyKey, ...message } = options;
    const post = async () => (await this.messages.post({ content, ...message }, { idempotencyKey })).run;
    return this.#sending(post, { signal, stopOnAbort, until });
  }

  /** Starts a run without a message, or on a new branch, and follows it as `send` does. */
  continue<Data = Json>(options: ContinueOptions = {}): Sending<Data> {
    const { signal, stopOnAbort, until, idempotencyKey, ...run } = options;
    return this.#sending(() => this.runs.post(run, { idempotencyKey }), { signal, stopOnAbort, until });
  }

  /**
   * Answers again, on a new branch, from the message `from` on: a user's message, or any message of an answer. Follows the run as `send`
   * does.
   */
  rerun<Data = Json>(from: string, options: BranchOptions = {}): Sending<Data> {
    return this.continue({ ...options, kind: "rerun", from });
  }

  /** Replaces a user's message by `content`, on a new branch, and follows the run that answers it. After any other message it is added. */
  edit<Data = Json>(from: string, content: NewMessage["content"], options: BranchOptions = {}): Sending<Data> {
    return this.continue({ ...options, kind: "branch", from, content });
  }

  /** Stops the active run, or the run `runId`; resolves when the stop is stored. Stopping an idle thread is no error. */
  async stop(runId?: string, { signal }: RequestOptions = {}): Promise<ThreadStatus> {
    const request = { params: { id: this.id }, body: { run_id: runId }, repeatable: true, signal };
    return (await this.#ports.requests.json("POST /api/threads/:id/stop", request)).status;
  }

  /** The thread's state, folded from the received events. Unchanged parts stay the same objects. */
  get state(): ThreadView {
    return this.#follow?.state ?? emptyView;
  }

  /** Tool calls that wait for a client's result, an approval or a higher limit, and open questions. The same list until they change. */
  get pending(): readonly OpenCall[] {
    return this.#follow?.pending ?? noCalls;
  }

  /** State of the subscription; `closed` while the thread is not followed, with an error if the server refused the last subscription. */
  get connection(): Connection {
    return this.#follow?.connection ?? closedConnection;
  }

  /** Follows the thread and calls `listener` when `state` or `connection` changes, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    const follow = this.#hold();
    const unlisten = follow.follow.onChange(listener);
    return () => {
      unlisten();
      follow.release();
    };
  }

  /** Follows the thread until the returned function is called. While it is followed, client tools answer its remote calls. */
  follow(): () => void {
    return this.#hold().release;
  }

  /**
   * The thread's events from now on, without an end. If the client has no state of the thread yet, they begin with a snapshot. `options`
   * can change the beginning and the end.
   */
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

  /** Follows the thread and calls `listener` for every event of a type, until the returned function is called. */
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

  /** Follows the thread and calls `listener` with the data of each custom event of a name, until the returned function is called. */
  onCustom<N extends CustomEventName>(name: N, listener: (data: CustomEvents[N]) => void): () => void {
    return this.on("custom", (event) => {
      if (event.name === name) listener(event.data as CustomEvents[N]);
    });
  }

  get #follow(): Follow | undefined {
    this.#lastFollow = this.#ports.followed() ?? this.#lastFollow;
    return this.#lastFollow;
  }

  #hold(): { follow: Follow; release: () => void } {
    const known = this.#follow;
    const follow = this.#ports.follow(known?.hasState === true && !isDeleted(known) ? known : undefined);
    this.#lastFollow = follow;
    return { follow, release: follow.hold() };
  }

  /** Adds the events of a subscription to a queue until the returned function is called. */
  #listen(queue: EventQueue<ThreadEvent>, { after, silent = false, types }: EventsOptions): () => void {
    const { follow, release } = after === undefined ? this.#hold() : holdExclusively(this.#ports.replay(after, silent));
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
      for (const stop of unlisten) stop();
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
    const carrier = openSse(
      { requests, stream: threadStream(this.id, options), after: after ?? null },
      {
        opened: () => undefined,
        // Events are not validated here, because the server builds them from the same schemas.
        event: (event) => queue.push(event as ThreadEvent),
        lost: fail,
        refused: fail,
        ended: () => queue.end(),
      },
    );
    return () => {
      closed.removeEventListener("abort", refuse);
      carrier.close();
    };
  }

  #sending<Data>(post: () => ReturnType<Runs["post"]>, options: SendingOptions): Sending<Data> {
    const { requests } = this.#ports;
    return new Sending<Data>(
      {
        hold: () => this.#hold(),
        post,
        read: (rid, signal) =>
          requests.json("GET /api/threads/:id/runs/:rid", {
            params: { id: this.id, rid },
            retries: readRunRetries,
            signal,
          }),
        stop: (runId) => this.stop(runId),
      },
      options,
    );
  }
}

/** Whether the thread was deleted. A new thread with the same id numbers its events from 1, so the old state is useless. */
function isDeleted({ connection }: Follow): boolean {
  const error = connection.state === "closed" ? connection.error : null;
  return error instanceof ThreadholdClientError && error.code === "thread_not_found";
}

/** Holds a subscription that has one reader. Its release closes the subscription. */
function holdExclusively(follow: Follow): { follow: Follow; release: () => void } {
  return { follow, release: () => follow.close() };
}
