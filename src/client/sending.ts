// Something sent to a thread, and the run that answers it: a loop over its events, a promise of its end, its words. The run is
// the server's: leaving the loop, an abort or a lost connection never stops it, unless that is asked for.

import type { ThreadEvent } from "#contract/event.ts";
import { isFinished } from "#contract/finished.ts";
import type { Run } from "#contract/run.ts";
import { deferred } from "#lib/deferred.ts";

import { ThreadholdNetworkError } from "./client-error.ts";
import { EventQueue } from "./event-queue.ts";
import type { Follow } from "./follow/follow.ts";

/** How a send is followed. */
export interface SendingOptions {
  /** Leaves: the promise and the loop reject with its reason. The run goes on, unless `stopOnAbort`. */
  signal?: AbortSignal | undefined;
  /** An abort stops the run too. */
  stopOnAbort?: boolean | undefined;
  /** `end`, the default: until the run is over, rests included. `rest`: until it waits for a client, or is over. */
  until?: "end" | "rest" | undefined;
}

/** What a sending needs of its thread. */
export interface SendingPorts {
  /** Follows the thread, until it is released; asked once. */
  hold: () => { follow: Follow; release: () => void };
  /** Posts it, once. */
  post: () => Promise<Run | null>;
  /** Reads the run, and goes on trying while the network is away, until `signal` fires. */
  read: (runId: string, signal: AbortSignal) => Promise<Run>;
  stop: (runId: string) => Promise<unknown>;
}

/** A run that was sent for. */
export class Sending implements AsyncIterable<ThreadEvent>, Promise<Run> {
  readonly [Symbol.toStringTag] = "Sending";
  readonly #ports: SendingPorts;
  readonly #options: SendingOptions;
  readonly #queue = new EventQueue<ThreadEvent>();
  readonly #posted = deferred<string>();
  readonly #done = deferred<Run>();
  /** Events that came before it was known which run they are of. */
  #early: ThreadEvent[] = [];
  #runId: string | null = null;
  #begun = false;
  #posting: Promise<Run | null> | null = null;
  readonly #leave = new AbortController();
  #over = false;
  #release = (): void => undefined;

  constructor(ports: SendingPorts, options: SendingOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#posted.promise.catch(() => undefined);
    void this.#begin().catch((thrown: unknown) => this.#fail(thrown));
  }

  /** The run's events, as they come, from the first on for each loop. */
  [Symbol.asyncIterator](): AsyncGenerator<ThreadEvent, void, undefined> {
    // Whoever loops is told of a failure there; the promise may then be left alone.
    this.#done.promise.catch(() => undefined);
    return this.#queue.read();
  }

  /** The words of the run, as they are said. */
  get text(): AsyncIterable<string> {
    return textDeltas(this);
  }

  /** Id of the run, as soon as the server has the message. */
  get runId(): Promise<string> {
    return this.#posted.promise;
  }

  /** Stops the run; answers once that is durable. The sending then ends as the run does. */
  async stop(): Promise<void> {
    await this.#ports.stop(await this.#posted.promise);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise of the run's end beside being its events
  then<R = Run, E = never>(
    fulfilled?: ((run: Run) => R | PromiseLike<R>) | null,
    rejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#done.promise.then(fulfilled, rejected);
  }

  catch<E = never>(rejected?: ((reason: unknown) => E | PromiseLike<E>) | null): Promise<Run | E> {
    return this.#done.promise.catch(rejected);
  }

  finally(settled?: (() => void) | null): Promise<Run> {
    return this.#done.promise.finally(settled);
  }

  async #begin(): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const { follow, release } = this.#ports.hold();
    const unlisten = [follow.onEvent((event) => this.#see(event)), follow.onChange(() => this.#watch(follow))];
    const abort = (): void => this.#abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    this.#release = () => {
      for (const leave of unlisten) leave();
      this.#leave.abort();
      signal?.removeEventListener("abort", abort);
      release();
    };
    this.#watch(follow);
    // What comes after this is seen. So the message is posted only now.
    await anchored(follow);
    if (this.#over) return;
    this.#posting = this.#ports.post();
    const run = await this.#posting;
    if (run === null) throw new TypeError("The message began no run; use `messages.post` for one that is only kept.");
    this.#posted.resolve(run.id);
    this.#runId = run.id;
    this.#begun = run.status !== "queued";
    for (const event of this.#early.splice(0)) this.#see(event);
    const rests = run.status === "awaiting_tool_execution" && this.#options.until === "rest";
    if (isFinished(run.status) || rests) this.#ask(rests);
  }

  #see(event: ThreadEvent): void {
    if (this.#over) return;
    if (this.#runId === null) {
      this.#early.push(event);
      return;
    }
    if (event.type === "snapshot") return this.#ask();
    if (event.type === "queue_changed" && !this.#begun && !event.queued.includes(this.#runId)) return this.#ask();
    if (event.run_id !== this.#runId) return;
    if (event.type === "run_start") this.#begun = true;
    this.#queue.push(event);
    const rests = event.type === "awaiting_tool_execution" && this.#options.until === "rest";
    if (event.type === "run_end" || rests) this.#ask(rests);
  }

  /** Asks how the run stands, which is the truth; ends if it is over, or rests where that was asked for. */
  #ask(rested = false): void {
    const { read } = this.#ports;
    read(this.#runId ?? "", this.#leave.signal).then(
      (run) => {
        const rests = rested || (run.status === "awaiting_tool_execution" && this.#options.until === "rest");
        if (isFinished(run.status) || rests) this.#finish(run);
      },
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  #watch({ connection }: Follow): void {
    if (connection.state !== "closed") return;
    this.#fail(connection.error ?? new ThreadholdNetworkError("The client was closed."));
  }

  #abort(reason: unknown): void {
    if (this.#over) return;
    if (this.#options.stopOnAbort === true) {
      const stopped = this.#posting?.then((run) => (run === null ? undefined : this.#ports.stop(run.id)));
      // Whoever aborted hears of nothing any more but the abort.
      stopped?.catch(() => undefined);
    }
    this.#fail(reason);
  }

  #finish(run: Run): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#queue.end();
    this.#done.resolve(run);
  }

  #fail(thrown: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#queue.fail(thrown);
    this.#posted.reject(thrown);
    this.#done.reject(thrown);
  }
}

/** Resolves when something is known of the thread, or the subscription is over. */
function anchored(follow: Follow): Promise<void> {
  if (follow.anchored || follow.connection.state === "closed") return Promise.resolve();
  return new Promise((resolve) => {
    const leave = follow.onChange(() => {
      if (!follow.anchored && follow.connection.state !== "closed") return;
      leave();
      resolve();
    });
  });
}

/**
 * The run's own text as it arrives, without thinking and without the text of sub-prompts. Merged deltas, and deltas repeated after a
 * reconnect, yield only the part that their block did not have yet. Text that is retracted later has been yielded.
 */
export async function* textDeltas(events: AsyncIterable<ThreadEvent>): AsyncGenerator<string, void, undefined> {
  const said = new Map<string, number>();
  for await (const event of events) {
    if ((event.type !== "text_delta" && event.type !== "text_end") || (event.depth ?? 0) > 0) continue;
    const block = `${event.message_id}:${event.index}`;
    const known = said.get(block) ?? 0;
    const [offset, text] = event.type === "text_delta" ? [event.offset, event.delta] : [0, event.text];
    said.set(block, Math.max(known, offset + text.length));
    const fresh = text.slice(Math.max(0, known - offset));
    if (fresh !== "") yield fresh;
  }
}
