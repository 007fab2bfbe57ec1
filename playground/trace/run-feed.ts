// Loads the data of one run and keeps it current: its record and its log, which are loaded again when steps end, and
// its events from the first. It reads while there are subscribers, until the run ends.

import type { Log, Run, ThreadEvent, ThreadHandle } from "threadhold/client";

import { EventTape } from "../events/event-tape.ts";
import type { TapeEntry } from "../events/event-tape.ts";
import { createStore } from "../kit/create-store.ts";

/** The data of a run. The same object until there is more. */
export interface RunSnapshot {
  run: Run | null;
  logs: readonly Log[];
  entries: readonly TapeEntry[];
  /** The record and the log are loaded; the events may still be arriving. */
  ready: boolean;
  error: Error | null;
}

const nothing: RunSnapshot = { run: null, logs: [], entries: [], ready: false, error: null };

/** The number of newest log rows to load at once; a step writes one or two. */
const newest = 10;

export class RunFeed {
  readonly #handle: ThreadHandle;
  readonly #runId: string;
  readonly #store = createStore(nothing, () => {
    this.#start();
    return () => this.#abort();
  });
  #tape = new EventTape();
  #leave: AbortController | null = null;
  /** The current load, with the signal of the subscription that it belongs to. */
  #refreshing: { signal: AbortSignal; done: Promise<void> } | null = null;
  #stale = false;

  constructor(handle: ThreadHandle, runId: string) {
    this.#handle = handle;
    this.#runId = runId;
  }

  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  /** Starts again after an error. */
  readonly retry = (): void => {
    this.#abort();
    this.#put({ error: null });
    this.#start();
  };

  #abort(): void {
    this.#leave?.abort();
    this.#leave = null;
  }

  #start(): void {
    if (this.#leave !== null) return;
    const leave = new AbortController();
    this.#leave = leave;
    this.#read(leave.signal).catch((thrown: unknown) => {
      if (leave.signal.aborted) return;
      this.#put({ error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
    });
  }

  async #read(signal: AbortSignal): Promise<void> {
    await this.#refresh(signal);
    if (this.#store.get().run?.first_seq === null) await this.#begun(signal);
    const { run } = this.#store.get();
    if (run === null || run.first_seq === null) return;
    const isOver = run.ended_at !== null;
    const tape = new EventTape();
    this.#tape = tape;
    tape.subscribe(() => {
      if (this.#tape === tape) this.#put({ entries: tape.get() });
    });
    for await (const event of this.#handle.events({ after: run.first_seq - 1, silent: true, signal })) {
      if (event.type === "snapshot") continue;
      if (event.run_id === this.#runId) tape.push(event);
      if (!isOver && this.#isRecorded(event)) void this.#refresh(signal).catch(() => undefined);
      if (this.#isEnd(event)) return;
    }
  }

  /** Waits until a queued run starts, or is removed from the queue. */
  async #begun(signal: AbortSignal): Promise<void> {
    let wake = (): void => undefined;
    const types = ["run_start", "run_end", "queue_changed", "snapshot"] as const;
    const unlisten = types.map((type) => this.#handle.on(type, () => wake()));
    signal.addEventListener("abort", () => wake());
    try {
      for (;;) {
        const next = new Promise<void>((resolve) => (wake = resolve));
        await this.#refresh(signal);
        const { run } = this.#store.get();
        if (signal.aborted || run === null || run.first_seq !== null || run.ended_at !== null) return;
        await next;
      }
    } finally {
      for (const leave of unlisten) leave();
    }
  }

  #isEnd({ type, run_id }: ThreadEvent): boolean {
    return type === "run_end" && run_id === this.#runId;
  }

  /** Whether an event means that the log has new rows. */
  #isRecorded({ type, run_id }: ThreadEvent): boolean {
    if (run_id !== this.#runId) return false;
    return type === "step_end" || type === "model_retry" || type === "model_fallback" || type === "run_end";
  }

  /** Loads the record and the new log rows, and loads them once more if an event arrived meanwhile. */
  #refresh(signal: AbortSignal): Promise<void> {
    this.#stale = true;
    const going = this.#refreshing;
    if (going !== null && going.signal === signal) return going.done;
    const refreshing = { signal, done: this.#readAgain(signal) };
    this.#refreshing = refreshing;
    const over = (): void => {
      if (this.#refreshing === refreshing) this.#refreshing = null;
    };
    refreshing.done.then(over, over);
    return refreshing.done;
  }

  async #readAgain(signal: AbortSignal): Promise<void> {
    while (this.#stale) {
      this.#stale = false;
      const [run, logs] = await Promise.all([this.#handle.runs.get(this.#runId, { signal }), this.#newLogs(signal)]);
      signal.throwIfAborted();
      this.#put({ run, logs, ready: true });
    }
  }

  /** Rows are only ever added, so rows are loaded from the newest back to the first known one. */
  async #newLogs(signal: AbortSignal): Promise<readonly Log[]> {
    const known = this.#store.get().logs;
    const ids = new Set(known.map(({ id }) => id));
    const query = { run_id: this.#runId, order: "desc", ...(known.length === 0 ? {} : { limit: newest }) } as const;
    const found: Log[] = [];
    for await (const log of this.#handle.logs.list(query, { signal })) {
      if (ids.has(log.id)) break;
      found.push(lightened(log));
    }
    return found.length === 0 ? known : [...known, ...found.reverse()];
  }

  #put(more: Partial<RunSnapshot>): void {
    this.#store.set({ ...this.#store.get(), ...more });
  }
}

/**
 * A row without the provider's raw data and the definitions' data, which are loaded when the user opens the row's
 * detail.
 */
function lightened(log: Log): Log {
  const { raw: _raw, context: _context, session: _session, request: _request, ...data } = log.data;
  return { ...log, data };
}
