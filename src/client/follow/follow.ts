// One thread, followed for ever: whatever is cut is taken up again behind the last event, so that every event is folded in once
// and in order. A frame that does not follow the last one says that something was missed, and is cured the same way.

import type { ThreadEvent } from "#contract/event.ts";
import { emptyView, fold } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";

import { ThreadholdNetworkError } from "../client-error.ts";
import type { Requests } from "../request.ts";
import type { Connection } from "./connection.ts";
import { Link } from "./link.ts";
import type { Carriers } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { openCallsAfter } from "./open-calls.ts";
import type { OpenCall } from "./open-calls.ts";
import { threadStream } from "./stream.ts";

/** What a subscription knows of its thread. */
export interface Known {
  readonly state: ThreadView;
  /** Calls that wait for a client or for a decision. */
  readonly pending: readonly OpenCall[];
}

/** What a follow is made with. */
export interface FollowPorts {
  requests: Requests;
  threadId: string;
  /** Called once, when it is over. */
  onClose: () => void;
  /** What another subscription knew: it goes on from there. */
  from?: Known | undefined;
  /** Tells events of silent messages, too. */
  silent?: boolean | undefined;
  /** What becomes of the state with an event; the contract's reducer by default. */
  fold?: typeof fold | undefined;
  carriers?: Carriers | undefined;
}

/** A subscription. */
export class Follow {
  readonly threadId: string;
  readonly #link: Link;
  readonly #events = new Listeners<[ThreadEvent]>();
  readonly #fold: typeof fold;
  #state: ThreadView = emptyView;
  #pending: readonly OpenCall[] = [];
  #anchored = false;

  constructor({ requests, threadId, onClose, from, silent, fold: folding = fold, carriers }: FollowPorts) {
    this.threadId = threadId;
    this.#fold = folding;
    if (from !== undefined) {
      this.#state = from.state;
      this.#pending = from.pending;
      this.#anchored = true;
    }
    this.#link = new Link({
      requests,
      stream: threadStream(threadId, { silent }),
      after: () => (this.#anchored ? this.#state.last_seq : null),
      // The server that is asked is built with the same schemas.
      take: (told) => this.#take(told as ThreadEvent),
      onClose,
      carriers,
    });
    this.#link.start();
  }

  /** What is known of the thread. The same object until something changes, and the same parts where they do not. */
  get state(): ThreadView {
    return this.#state;
  }

  /** Calls that wait for a client or for a decision; the same list until they change. */
  get pending(): readonly OpenCall[] {
    return this.#pending;
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  /** Something is known: a snapshot came. */
  get anchored(): boolean {
    return this.#anchored;
  }

  /** Tells of each event, folded in already. */
  onEvent(listener: (event: ThreadEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Tells that `state` or `connection` is another. */
  onChange(listener: () => void): () => void {
    return this.#link.onChange(listener);
  }

  /** Keeps it open until the function given back is called. */
  hold(): () => void {
    return this.#link.hold();
  }

  /** Tries to connect at once if it waits before its next try. */
  retry(): void {
    this.#link.retry();
  }

  close(): void {
    this.#link.close();
  }

  #take(event: ThreadEvent): void {
    if (event.type !== "snapshot") {
      if (event.seq <= this.#state.last_seq && this.#anchored) return;
      if (!this.#anchored || (event.prev !== undefined && event.prev !== this.#state.last_seq)) {
        this.#link.lose(new ThreadholdNetworkError(`Something was missed before event ${event.seq}.`));
        return;
      }
    }
    const isNew = !this.#anchored || event.seq !== this.#state.last_seq;
    this.#state = this.#fold(this.#state, event);
    this.#pending = openCallsAfter(this.#pending, event);
    this.#anchored = true;
    // A picture of what was known already is no progress.
    if (isNew) this.#link.heard();
    this.#events.tell(event);
    this.#link.changed();
  }
}
