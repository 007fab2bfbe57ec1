// A message that was sent, together with the run that answers it: an async iterable of the run's events, a promise of the ended run, and
// its text. The run is executed on the server: a loop that ends early or a lost connection does not stop it. An abort stops it only if
// `stopOnAbort` is set.

import type { ThreadEvent } from "#contract/event.ts";
import { isFinished } from "#contract/finished.ts";
import type { Json } from "#contract/json.ts";
import type { Run } from "#contract/run.ts";
import { deferred } from "#lib/deferred.ts";

import { ThreadholdNetworkError } from "./client-error.ts";
import { EventQueue } from "./event-queue.ts";
import type { Follow } from "./follow/follow.ts";

/** A run whose structured answer has the type `Data`. The server has checked the answer; the client trusts the type. */
export type RunWith<Data> = Omit<Run, "data"> & { data?: Data };

/** Options of a sent message. */
export interface SendingOptions {
  /** Ends the loop and rejects the promise with the signal's reason. The run continues, unless `stopOnAbort` is set. */
  signal?: AbortSignal | undefined;
  /** Whether an abort also stops the run. */
  stopOnAbort?: boolean | undefined;
  /** `end` (default): until the run has ended, even if it is suspended in between. `rest`: until it ends or waits for a client. */
  until?: "end" | "rest" | undefined;
}

/** Functions of the thread that a `Sending` uses. */
export interface SendingPorts {
  /** Follows the thread until `release` is called. Called once. */
  hold: () => { follow: Follow; release: () => void };
  /** Posts the message. Called once. */
  post: () => Promise<Run | null>;
  /** Reads the run. Retries while the network is unavailable, until `signal` is aborted. */
  read: (runId: string, signal: AbortSignal) => Promise<Run>;
  stop: (runId: string) => Promise<unknown>;
}

/** A message that was sent, and its run. `Data` is the type of a structured answer, `run.data`. */
export class Sending<Data = Json> implements AsyncIterable<ThreadEvent>, Promise<RunWith<Data>> {
  readonly [Symbol.toStringTag] = "Sending";
  readonly #ports: SendingPorts;
  readonly #options: SendingOptions;
  readonly #queue = new EventQueue<ThreadEvent>();
  readonly #posted = deferred<string>();
  readonly #done = deferred<RunWith<Data>>();
  /** Events that arrived before the run's id was known. */
  #earlyEvents: ThreadEvent[] = [];
  /** Empty until the message is stored. */
  #runId = "";
  #started = false;
  #posting: Promise<Run | null> | null = null;
  readonly #aborted = new AbortController();
  #isOver = false;
  #release = (): void => undefined;

  constructor(ports: SendingPorts, options: SendingOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#posted.promise.catch(() => undefined);
    void this.#begin().catch((thrown: unknown) => this.#fail(thrown));
  }

  /** The run's events. Each loop receives all of them, from the first on. */
  [Symbol.asyncIterator](): AsyncGenerator<ThreadEvent, void, undefined> {
    // The loop throws a failure. A promise that nothing awaits must not report it a second time as an unhandled rejection.
    this.#done.promise.catch(() => undefined);
    return this.#queue.read();
  }

  /** The run's answer as pieces of text, as they arrive. */
  get text(): AsyncIterable<string> {
    return textDeltas(this);
  }

  /** The run's id; resolves when the server has stored the message. */
  get runId(): Promise<string> {
    return this.#posted.promise;
  }

  /** Stops the run; resolves when the stop is stored. The loop and the promise end when the run ends. */
  async stop(): Promise<void> {
    await this.#ports.stop(await this.#posted.promise);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a Sending is a promise of its run as well as an iterable of events
  then<R = RunWith<Data>, E = never>(
    fulfilled?: ((run: RunWith<Data>) => R | PromiseLike<R>) | null,
    rejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#done.promise.then(fulfilled, rejected);
  }

  catch<E = never>(rejected?: ((reason: unknown) => E | PromiseLike<E>) | null): Promise<RunWith<Data> | E> {
    return this.#done.promise.catch(rejected);
  }

  finally(settled?: (() => void) | null): Promise<RunWith<Data>> {
    return this.#done.promise.finally(settled);
  }

  async #begin(): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const { follow, release } = this.#ports.hold();
    const unlisten = [
      follow.onEvent((event) => this.#receive(event)),
      follow.onChange(() => this.#failIfClosed(follow)),
    ];
    const abort = (): void => this.#abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    this.#release = () => {
      for (const stop of unlisten) stop();
      this.#aborted.abort();
      signal?.removeEventListener("abort", abort);
      release();
    };
    this.#failIfClosed(follow);
    // The message is posted only after the thread's state has arrived, so that no event of the run is missed.
    await untilHasState(follow);
    if (this.#isOver) return;
    this.#posting = this.#ports.post();
    const run = await this.#posting;
    if (run === null) throw new TypeError("The message started no run. Use `messages.post` to store it.");
    this.#posted.resolve(run.id);
    this.#runId = run.id;
    this.#started = run.status !== "queued";
    for (const event of this.#earlyEvents) this.#receive(event);
    if (isFinished(run.status) || this.#endsWith(run.status)) this.#checkRun();
  }

  #receive(event: ThreadEvent): void {
    if (this.#isOver) return;
    if (this.#runId === "") {
      this.#earlyEvents.push(event);
      return;
    }
    // A snapshot replaces the events before it. The end of a run that ended later is sent.
    if (event.type === "snapshot")
      return this.#checkRun((run) => (run.ended_at ?? Infinity) <= event.at || this.#endsWith(run.status));
    // A run that left the queue has started, and then its end is sent, or was removed.
    if (event.type === "queue_changed" && !this.#started && !event.queued.includes(this.#runId))
      return this.#checkRun((run) => run.started_at === null && isFinished(run.status));
    if (event.run_id !== this.#runId) return;
    if (event.type === "run_start") this.#started = true;
    this.#queue.push(event);
    // Without calls, a child thread has received its last answer, and the run continues.
    const waits = event.type === "awaiting_tool_execution" && event.tool_calls.length > 0;
    if (event.type === "run_end" || (waits && this.#endsWith(event.type))) this.#checkRun();
  }

  /** Reads the run from the server and finishes if it `isOver`: no further event of it will arrive. */
  #checkRun(isOver: (run: Run) => boolean = () => true): void {
    const { read } = this.#ports;
    read(this.#runId, this.#aborted.signal).then(
      (run) => {
        if (isOver(run)) this.#finish(run);
      },
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  /** Whether the send ends with this status of its run, or with the event of this type, because the run is suspended. */
  #endsWith(name: string): boolean {
    return name === "awaiting_tool_execution" && this.#options.until === "rest";
  }

  #failIfClosed({ connection }: Follow): void {
    if (connection.state !== "closed") return;
    this.#fail(connection.error ?? new ThreadholdNetworkError("The client was closed."));
  }

  #abort(reason: unknown): void {
    if (this.#isOver) return;
    if (this.#options.stopOnAbort === true) {
      const stopped = this.#posting?.then((run) => (run === null ? undefined : this.#ports.stop(run.id)));
      // Only the reason of the caller's abort is reported, not a failure to stop the run.
      stopped?.catch(() => undefined);
    }
    this.#fail(reason);
  }

  #finish(run: Run): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#queue.end();
    // The server checked the data against the schema that the caller's type describes.
    this.#done.resolve(run as RunWith<Data>);
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#queue.fail(thrown);
    this.#posted.reject(thrown);
    this.#done.reject(thrown);
  }
}

/** Resolves when the subscription has the thread's state, or is closed. */
function untilHasState(follow: Follow): Promise<void> {
  if (follow.hasState || follow.connection.state === "closed") return Promise.resolve();
  return new Promise((resolve) => {
    const stop = follow.onChange(() => {
      if (!follow.hasState && follow.connection.state !== "closed") return;
      stop();
      resolve();
    });
  });
}

/**
 * The text of the run as it arrives, without thinking and without the text of sub-prompts. Merged and repeated deltas yield only the part
 * that their block did not have yet. Text that the server retracts later has been yielded already.
 */
export async function* textDeltas(events: AsyncIterable<ThreadEvent>): AsyncGenerator<string, void, undefined> {
  const yielded = new Map<string, number>();
  for await (const event of events) {
    if ((event.type !== "text_delta" && event.type !== "text_end") || (event.depth ?? 0) > 0) continue;
    const block = `${event.message_id}:${event.index}`;
    const known = yielded.get(block) ?? 0;
    const [offset, text] = event.type === "text_delta" ? [event.offset, event.delta] : [0, event.text];
    yielded.set(block, Math.max(known, offset + text.length));
    const fresh = text.slice(Math.max(0, known - offset));
    if (fresh !== "") yield fresh;
  }
}
