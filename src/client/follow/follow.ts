// A subscription to one thread. It applies each event to the thread's state, once and in order. When the connection breaks, it resumes
// after the last event. An event's `prev` is the number of the event before it: if that is not the last received one, an event is missing,
// and the subscription reconnects.

import type { ThreadEvent } from "#contract/event.ts";
import { emptyView, fold } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";

import { ThreadholdNetworkError } from "../client-error.ts";
import type { Requests } from "../send-request.ts";
import type { Connection } from "./connection.ts";
import { Link } from "./link.ts";
import type { Carriers } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { openCallsAfter } from "./open-calls.ts";
import type { OpenCall } from "./open-calls.ts";
import { threadStream } from "./stream.ts";

/** State of a thread as a subscription has received it. */
export interface FollowState {
  readonly state: ThreadView;
  /** Tool calls that wait for a client's result, an approval or a higher limit, and open questions. */
  readonly pending: readonly OpenCall[];
}

/** Dependencies and options of a subscription. */
export interface FollowPorts {
  requests: Requests;
  threadId: string;
  /** Called once, when the subscription is closed. */
  onClose: () => void;
  /** State to resume from, taken from an earlier subscription. */
  from?: FollowState | undefined;
  /** Whether to include events of silent messages. */
  silent?: boolean | undefined;
  /** The reducer that applies an event to the state. Default: the contract's `fold`. */
  fold?: typeof fold | undefined;
  carriers?: Carriers | undefined;
}

/** A subscription to one thread. It reconnects until it is closed. */
export class Follow {
  readonly threadId: string;
  readonly #link: Link;
  readonly #events = new Listeners<[ThreadEvent]>();
  readonly #fold: typeof fold;
  #state: ThreadView = emptyView;
  #pending: readonly OpenCall[] = [];
  #hasState = false;

  constructor({ requests, threadId, onClose, from, silent, fold: folding = fold, carriers }: FollowPorts) {
    this.threadId = threadId;
    this.#fold = folding;
    if (from !== undefined) {
      this.#state = from.state;
      this.#pending = from.pending;
      this.#hasState = true;
    }
    this.#link = new Link({
      requests,
      stream: threadStream(threadId, { silent }),
      after: () => (this.#hasState ? this.#state.last_seq : null),
      // Events are not validated here, because the server builds them from the same schemas.
      onEvent: (event) => this.#receive(event as ThreadEvent),
      onClose,
      carriers,
    });
    this.#link.start();
  }

  /** The thread's state. The same object until something changes; unchanged parts stay the same objects. */
  get state(): ThreadView {
    return this.#state;
  }

  /** Tool calls that wait for a client's result, an approval or a higher limit, and open questions. The same list until they change. */
  get pending(): readonly OpenCall[] {
    return this.#pending;
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  /** Whether `state` is complete: a snapshot was received, or the subscription resumed from an earlier state. */
  get hasState(): boolean {
    return this.#hasState;
  }

  /** Calls the listener for each event, after `state` includes it. */
  onEvent(listener: (event: ThreadEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Calls the listener when `state` or `connection` changes. */
  onChange(listener: () => void): () => void {
    return this.#link.onChange(listener);
  }

  /** Keeps the subscription open until the returned function is called. */
  hold(): () => void {
    return this.#link.hold();
  }

  /** Connects at once if the subscription waits before its next attempt. */
  retry(): void {
    this.#link.retry();
  }

  close(): void {
    this.#link.close();
  }

  #receive(event: ThreadEvent): void {
    if (event.type !== "snapshot") {
      if (event.seq <= this.#state.last_seq && this.#hasState) return;
      if (!this.#hasState || (event.prev !== undefined && event.prev !== this.#state.last_seq)) {
        this.#link.reportLoss(new ThreadholdNetworkError(`Events before ${event.seq} are missing.`));
        return;
      }
    }
    const isNew = !this.#hasState || event.seq !== this.#state.last_seq;
    this.#state = this.#fold(this.#state, event);
    this.#pending = openCallsAfter(this.#pending, event);
    this.#hasState = true;
    // A snapshot without new events does not count as progress.
    if (isNew) this.#link.reportProgress();
    this.#events.notify(event);
    this.#link.notifyChange();
  }
}
