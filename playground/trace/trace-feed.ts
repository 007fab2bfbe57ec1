// Combines a run and the child threads that the user opened in its trace into one subscription.

import type { Run, ThreadholdClient } from "threadhold/client";

import { createStore } from "../kit/create-store.ts";
import { buildTrace } from "./build-trace.ts";
import { RunFeed } from "./run-feed.ts";
import type { RunSnapshot } from "./run-feed.ts";
import type { NoteNode, RunNode, ToolNode, TraceNode } from "./trace-node.ts";

/** The feeds of a child thread's runs; null while they are being loaded. */
interface ChildFeed {
  feeds: readonly RunFeed[] | null;
  error: Error | null;
}

/** The combined feed. Its version changes whenever any of its data changes. */
export class TraceFeed {
  readonly threadId: string;
  readonly runId: string;
  readonly root: RunFeed;
  readonly #client: ThreadholdClient;
  readonly #store = createStore(0, () => {
    this.#listen(this.root);
    return () => {
      for (const leave of this.#leaves.splice(0)) leave();
      this.#children.clear();
    };
  });
  readonly #children = new Map<string, ChildFeed>();
  readonly #leaves: (() => void)[] = [];
  readonly #built = new WeakMap<RunSnapshot, RunNode>();

  constructor(client: ThreadholdClient, threadId: string, runId: string) {
    this.threadId = threadId;
    this.runId = runId;
    this.#client = client;
    this.root = new RunFeed(client.thread(threadId), runId);
  }

  /** Returns the version. */
  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  /** The trace of the run; null until its record is loaded. */
  trace(): RunNode | null {
    return this.#traceOf(this.root, this.threadId, "");
  }

  /** The nodes below a node. For a child thread these are its own steps, or a note while they load. */
  readonly childrenOf = (node: TraceNode): readonly TraceNode[] => {
    if (node.kind !== "child" || node.child_thread_id === null) return node.children;
    const child = this.#children.get(node.key) ?? this.#open(node, node.child_thread_id);
    const { feeds, error } = child;
    if (error !== null) return [noteUnder(node, "The child thread could not be loaded", error.message)];
    if (feeds === null) return [noteUnder(node, "Loading the child thread", null)];
    if (feeds.length === 0) return [noteUnder(node, "The child thread has not started", null)];
    const threadId = node.child_thread_id;
    return feeds.flatMap((feed, at) => {
      const failed = feed.get().error;
      if (failed !== null) return [noteUnder(node, "The child thread could not be loaded", failed.message)];
      return this.#traceOf(feed, threadId, `${threadId}:${at}:`)?.children ?? [];
    });
  };

  /**
   * Forgets a child thread that could not be loaded or had no run, so that it is loaded again when it is next opened.
   */
  forget(key: string): void {
    const child = this.#children.get(key);
    if (child !== undefined && (child.error !== null || child.feeds?.length === 0)) this.#children.delete(key);
  }

  /** The data of the run that a node belongs to. */
  snapshotOf(runId: string): RunSnapshot {
    if (runId === this.runId) return this.root.get();
    for (const { feeds } of this.#children.values()) {
      const found = feeds?.find((feed) => feed.get().run?.id === runId);
      if (found !== undefined) return found.get();
    }
    return this.root.get();
  }

  #open(node: ToolNode, threadId: string): ChildFeed {
    const child: ChildFeed = { feeds: null, error: null };
    this.#children.set(node.key, child);
    const handle = this.#client.thread(threadId);
    const find = async (): Promise<void> => {
      const { items } = await handle.runs.list({ order: "asc", limit: 200 });
      const runs = items.filter(({ parent_run_id }: Run) => parent_run_id === node.run_id);
      const feeds = runs.map(({ id }) => new RunFeed(handle, id));
      child.feeds = feeds;
      for (const feed of feeds) this.#listen(feed);
      this.#changed();
    };
    find().catch((thrown: unknown) => {
      child.error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#changed();
    });
    return child;
  }

  #listen(feed: RunFeed): void {
    if (this.#store.isUsed()) this.#leaves.push(feed.subscribe(this.#changed));
  }

  readonly #changed = (): void => {
    this.#store.set(this.#store.get() + 1);
  };

  #traceOf(feed: RunFeed, thread_id: string, prefix: string): RunNode | null {
    const snapshot = feed.get();
    const { run, logs, entries, ready } = snapshot;
    if (run === null || !ready) return null;
    const known = this.#built.get(snapshot);
    if (known !== undefined) return known;
    const built = buildTrace({ thread_id, run, logs, events: entries.map(({ event }) => event), prefix });
    this.#built.set(snapshot, built);
    return built;
  }
}

function noteUnder({ key, start, thread_id, run_id, prefix }: ToolNode, name: string, aside: string | null): NoteNode {
  const state = aside === null ? "running" : "failed";
  const of = { thread_id, run_id, prefix, children: [], data: null };
  return { kind: "note", key: `${key} note`, name, aside, start, end: start, state, ...of };
}
