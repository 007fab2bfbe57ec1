// Hooks that follow a thread. A component renders again, at most once a frame, only if a field changed that it has read: a long
// streamed answer does not render a component that reads only the thread's title.

import { useMemo, useSyncExternalStore } from "react";

import { emptyView } from "#client/index.ts";
import type {
  Branch,
  Connection,
  Json,
  NewMessage,
  OpenCall,
  SendOptions,
  Sending,
  ThreadHandle,
  ThreadView,
  ToolResults,
} from "#client/index.ts";
import type { ThreadStatus } from "#client/index.ts";

import { useThreadhold } from "./provider.ts";
import type { Siblings, ThreadSnapshot, ThreadSource } from "./thread-source.ts";

type Field = keyof Omit<ThreadView, "last_seq"> | "connection" | "pending" | "branches";

const emptySnapshot: ThreadSnapshot = {
  state: emptyView,
  connection: { state: "closed", error: null },
  pending: [],
  branches: [],
};

const subscribeToNothing = (): (() => void) => () => undefined;

/** The functions of a thread; the same functions as long as the component uses the same thread. */
type Actions = Pick<UsedThread, "send" | "stop" | "approve" | "decline" | "answer">;

function actionsOn(source: ThreadSource | null): Actions {
  return {
    send: (content, options) => handleOf(source).send(content, options),
    stop: () => handleOf(source).stop(),
    approve: (...decision) => handleOf(source).tools.approve(...decision),
    decline: (...decision) => handleOf(source).tools.decline(...decision),
    answer: (...answer) => handleOf(source).tools.answer(...answer),
  };
}

function handleOf(source: ThreadSource | null): ThreadHandle {
  if (source === null) throw new Error("There is no thread yet: useThread was called with null.");
  return source.handle;
}

/** A thread as a component uses it. A new object whenever a field changed that the component has read. */
export class UsedThread {
  readonly #source: ThreadSource | null;
  readonly #readFields: Set<Field>;
  /** Sends a message. The result is an iterable of the run's events and a promise of the ended run. */
  readonly send: <Data = Json>(content: NewMessage["content"], options?: SendOptions) => Sending<Data>;
  /** Stops the active run. */
  readonly stop: () => Promise<ThreadStatus>;
  /** Approves a call of `pending`, optionally with other arguments. The same as `handle.tools.approve`. */
  readonly approve: ToolResults["approve"];
  /** Declines a call of `pending`; the model reads the reason. */
  readonly decline: ToolResults["decline"];
  /** Posts the result of a remote call that no client tool answers. */
  readonly answer: ToolResults["answer"];

  constructor(from: ThreadSource | null, read: Set<Field>, actions: Actions = actionsOn(from)) {
    this.#source = from;
    this.#readFields = read;
    this.send = actions.send;
    this.stop = actions.stop;
    this.approve = actions.approve;
    this.decline = actions.decline;
    this.answer = actions.answer;
  }

  /** The thread's record; null until the first snapshot has arrived. */
  get thread(): ThreadView["thread"] {
    return this.#state("thread").thread;
  }

  /** The latest messages by position, including those that stream. */
  get messages(): ThreadView["messages"] {
    return this.#state("messages").messages;
  }

  /** Tool calls by id, with their output so far. */
  get tools(): ThreadView["tools"] {
    return this.#state("tools").tools;
  }

  get runs(): ThreadView["runs"] {
    return this.#state("runs").runs;
  }

  get activeRunId(): string | null {
    return this.#state("active_run_id").active_run_id;
  }

  get connection(): Connection {
    this.#readFields.add("connection");
    return this.#snapshot.connection;
  }

  /** Tool calls that wait for a client's result, an approval or a higher limit, and open questions. */
  get pending(): readonly OpenCall[] {
    this.#readFields.add("pending");
    return this.#snapshot.pending;
  }

  /** The thread's branches, in the order in which they were made. Loaded when a component reads them; none until then. */
  get branches(): readonly Branch[] {
    this.#readFields.add("branches");
    this.#source?.loadBranches();
    return this.#snapshot.branches;
  }

  /**
   * The branches that part directly before a message, for a picker such as `2 / 3`; null if there are none. `handle.branches.checkout`
   * changes to one of them.
   */
  siblings(messageId: string | undefined): Siblings | null {
    // The fields that the result depends on.
    void [this.branches, this.messages];
    return this.#source?.siblings(messageId) ?? null;
  }

  /** The thread's handle, for `handle.files`, `handle.queue` and `handle.tools`. Throws if the hook was called with null. */
  get handle(): ThreadHandle {
    return handleOf(this.#source);
  }

  get #snapshot(): ThreadSnapshot {
    return this.#source?.source.snapshot ?? emptySnapshot;
  }

  #state(field: Field): ThreadView {
    this.#readFields.add(field);
    return this.#snapshot.state;
  }
}

/** Follows a thread while the component is mounted. With null it follows nothing, for a page whose thread does not exist yet. */
export function useThread(id: string | null): UsedThread {
  const source = useSource(id);
  const getSnapshot = useMemo(() => trackReads(source), [source]);
  return useSyncExternalStore(source?.source.subscribe ?? subscribeToNothing, getSnapshot, getSnapshot);
}

/** Follows a thread and returns one value of its state. The component renders again when `select` returns a different value. */
export function useThreadState<T>(id: string | null, select: (state: ThreadView, connection: Connection) => T): T {
  const source = useSource(id);
  const getValue = useMemo(() => {
    let selectedFrom: ThreadSnapshot | null = null;
    let value: T;
    return (): T => {
      const snapshot = source?.source.snapshot ?? emptySnapshot;
      if (selectedFrom !== snapshot) {
        value = select(snapshot.state, snapshot.connection);
        selectedFrom = snapshot;
      }
      return value;
    };
  }, [source, select]);
  return useSyncExternalStore(source?.source.subscribe ?? subscribeToNothing, getValue, getValue);
}

function useSource(id: string | null): ThreadSource | null {
  const { thread } = useThreadhold();
  return useMemo(() => (id === null ? null : thread(id)), [thread, id]);
}

/** Returns a function that yields the same object until one of the fields that were read from it changes. */
function trackReads(source: ThreadSource | null): () => UsedThread {
  const readFields = new Set<Field>();
  let previous = source?.source.snapshot ?? emptySnapshot;
  let used = new UsedThread(source, readFields);
  return () => {
    const snapshot = source?.source.snapshot ?? emptySnapshot;
    if (snapshot === previous) return used;
    const changed = [...readFields].some((field) => valueOf(snapshot, field) !== valueOf(previous, field));
    previous = snapshot;
    // The functions stay the same objects, so components that receive only functions do not render again.
    if (changed) used = new UsedThread(source, readFields, used);
    return used;
  };
}

function valueOf(snapshot: ThreadSnapshot, field: Field): unknown {
  return field === "connection" || field === "pending" || field === "branches"
    ? snapshot[field]
    : snapshot.state[field];
}
