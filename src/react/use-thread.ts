// A thread in a component. The component draws again when something changed that it has read, at most once a frame; an answer of
// a thousand deltas is drawn as often as there are frames, and a component that shows its title alone not at all.

import { useMemo, useSyncExternalStore } from "react";

import { emptyView } from "#client/index.ts";
import type {
  Connection,
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
import type { ThreadPicture, ThreadSource } from "./thread-source.ts";

type Field = keyof Omit<ThreadView, "last_seq"> | "connection" | "pending";

const nothing: ThreadPicture = { state: emptyView, connection: { state: "closed", error: null }, pending: [] };
const never = (): (() => void) => () => undefined;

/** What a component does with its thread; the same functions for as long as it shows that one. */
type Actions = Pick<UsedThread, "send" | "stop" | "approve" | "decline" | "answer">;

function actionsOn(from: ThreadSource | null): Actions {
  return {
    send: (content, options) => handleOf(from).send(content, options),
    stop: () => handleOf(from).stop(),
    approve: (...decision) => handleOf(from).tools.approve(...decision),
    decline: (...decision) => handleOf(from).tools.decline(...decision),
    answer: (...given) => handleOf(from).tools.answer(...given),
  };
}

function handleOf(from: ThreadSource | null): ThreadHandle {
  if (from === null) throw new Error("There is no thread yet: useThread was given null.");
  return from.handle;
}

/** A thread as a component sees it. Another object whenever something changed that was read of it. */
export class UsedThread {
  readonly #from: ThreadSource | null;
  readonly #read: Set<Field>;
  /** Sends a message; what it gives is the run's events and the promise of its end. */
  readonly send: (content: NewMessage["content"], options?: SendOptions) => Sending;
  /** Stops the active run. */
  readonly stop: () => Promise<ThreadStatus>;
  /** Approves a call of `pending`, optionally with other arguments. The same as `handle.tools.approve`. */
  readonly approve: ToolResults["approve"];
  /** Declines a call; the model reads the reason. */
  readonly decline: ToolResults["decline"];
  /** Answers a call of a tool that has no function of its own. */
  readonly answer: ToolResults["answer"];

  constructor(from: ThreadSource | null, read: Set<Field>, actions: Actions = actionsOn(from)) {
    this.#from = from;
    this.#read = read;
    this.send = actions.send;
    this.stop = actions.stop;
    this.approve = actions.approve;
    this.decline = actions.decline;
    this.answer = actions.answer;
  }

  /** The thread's own record; null until something came. */
  get thread(): ThreadView["thread"] {
    return this.#state("thread").thread;
  }

  /** The last messages, those that stream included, by position. */
  get messages(): ThreadView["messages"] {
    return this.#state("messages").messages;
  }

  /** Tool calls by their ids, with what they have said so far. */
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
    this.#read.add("connection");
    return this.#picture.connection;
  }

  /** Calls that wait for a client or for a decision. */
  get pending(): readonly OpenCall[] {
    this.#read.add("pending");
    return this.#picture.pending;
  }

  /** The thread's handle, for `handle.files`, `handle.queue` and `handle.tools`. Throws if the hook was given no id. */
  get handle(): ThreadHandle {
    return handleOf(this.#from);
  }

  get #picture(): ThreadPicture {
    return this.#from?.source.picture ?? nothing;
  }

  #state(field: Field): ThreadView {
    this.#read.add(field);
    return this.#picture.state;
  }
}

/** Follows a thread for as long as the component is there. With null it follows nothing, for a page whose thread is to come. */
export function useThread(id: string | null): UsedThread {
  const from = useSource(id);
  const look = useMemo(() => tracked(from), [from]);
  return useSyncExternalStore(from?.source.subscribe ?? never, look, look);
}

/** The same for one value: the component draws again when `select` gives another one. */
export function useThreadState<T>(id: string | null, select: (state: ThreadView, connection: Connection) => T): T {
  const from = useSource(id);
  const look = useMemo(() => {
    let of: ThreadPicture | null = null;
    let value: T;
    return (): T => {
      const picture = from?.source.picture ?? nothing;
      if (of !== picture) {
        value = select(picture.state, picture.connection);
        of = picture;
      }
      return value;
    };
  }, [from, select]);
  return useSyncExternalStore(from?.source.subscribe ?? never, look, look);
}

function useSource(id: string | null): ThreadSource | null {
  const { thread } = useThreadhold();
  return useMemo(() => (id === null ? null : thread(id)), [thread, id]);
}

/** Gives the same object until one of the fields that were read of it is another. */
function tracked(from: ThreadSource | null): () => UsedThread {
  const read = new Set<Field>();
  let seen = from?.source.picture ?? nothing;
  let used = new UsedThread(from, read);
  return () => {
    const picture = from?.source.picture ?? nothing;
    if (picture === seen) return used;
    const changed = [...read].some((field) => valueOf(picture, field) !== valueOf(seen, field));
    seen = picture;
    // With the functions it had: what is drawn for them alone stays as it is.
    if (changed) used = new UsedThread(from, read, used);
    return used;
  };
}

function valueOf(picture: ThreadPicture, field: Field): unknown {
  return field === "connection" || field === "pending" ? picture[field] : picture.state[field];
}
