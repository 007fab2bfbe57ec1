// One thread, followed for ever: whatever is cut is taken up again behind the last event, so that every event is folded in once
// and in order. A frame that does not follow the last one says that something was missed, and is cured the same way. It lives
// as long as somebody holds it, and a little longer.

import type { ThreadEvent } from "#contract/event.ts";
import { emptyView, fold } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";

import { backOffMs } from "../back-off.ts";
import { ThreadholdNetworkError } from "../client-error.ts";
import type { Requests } from "../request.ts";
import type { Carrying, OpenCarrier } from "./carrier.ts";
import { chooseCarrier } from "./choose-carrier.ts";
import { next } from "./connection.ts";
import type { Carrier, Connection, Signal } from "./connection.ts";
import { Listeners } from "./listeners.ts";
import { openCallsAfter } from "./open-calls.ts";
import type { OpenCall } from "./open-calls.ts";
import { socketCarrier } from "./socket-carrier.ts";
import { openSse } from "./sse-carrier.ts";

const backOff = { firstMs: 500, longestMs: 30_000 };

/** A connection that held this long was a success, even if nothing was told. */
const settledMs = 10_000;

/** How long to believe a browser that there is no network. */
const offlineMs = 30_000;

/** How long it stays when nobody holds it any more: a page that draws itself anew lets go and takes hold again. */
const lingerMs = 250;

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
  /** What opens each carrier; the client's own by default. Without `socket` no socket is tried. */
  carriers?: { socket: OpenCarrier | null; sse: OpenCarrier } | undefined;
}

/** A subscription. */
export class Follow {
  readonly threadId: string;
  readonly #ports: FollowPorts;
  readonly #open: { socket: OpenCarrier | null; sse: OpenCarrier };
  readonly #events = new Listeners<[ThreadEvent]>();
  readonly #changes = new Listeners<[]>();
  readonly #unwatch: () => void;
  #connection: Connection;
  #state: ThreadView = emptyView;
  #pending: readonly OpenCall[] = [];
  #anchored = false;
  #failures = 0;
  #last: Carrier | null = null;
  #carrying: Carrying | null = null;
  /** Stands for the carrier that may speak now. */
  #turn: object | null = null;
  #callOff = (): void => undefined;
  #holders = 0;
  #letGo = (): void => undefined;

  constructor(ports: FollowPorts) {
    const { settings } = ports.requests;
    this.threadId = ports.threadId;
    this.#ports = ports;
    this.#open = ports.carriers ?? { socket: settings.socket && socketCarrier(settings.socket), sse: openSse };
    if (ports.from !== undefined) {
      this.#state = ports.from.state;
      this.#pending = ports.from.pending;
      this.#anchored = true;
    }
    this.#unwatch = settings.presence.watch((change) => {
      if (change === "offline") this.#signal({ type: "offline" });
      else this.#signal({ type: change === "online" ? "online" : "due", carrier: this.#choose() });
      if (change === "visible") this.#carrying?.check();
    });
    this.#connection = settings.presence.online
      ? { state: "connecting", attempt: 0, carrier: this.#choose() }
      : { state: "offline", attempt: 0 };
    this.#enter(this.#connection);
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
    return this.#connection;
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
    return this.#changes.add(listener);
  }

  /** Keeps it open until the function given back is called. */
  hold(): () => void {
    this.#holders += 1;
    this.#letGo();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders > 0 || this.#connection.state === "closed") return;
      this.#letGo = this.#ports.requests.settings.timers.after(lingerMs, () => this.close());
    };
  }

  close(): void {
    this.#signal({ type: "left" });
  }

  #signal(signal: Signal): void {
    const before = this.#connection;
    const after = next(before, signal);
    if (after === before) return;
    this.#connection = after;
    if (after.state !== before.state) this.#enter(after);
    this.#changes.tell();
  }

  /** Does what a state asks for. */
  #enter(connection: Connection): void {
    const { timers } = this.#ports.requests.settings;
    this.#callOff();
    if (connection.state !== "live") this.#drop();
    switch (connection.state) {
      case "connecting":
        this.#carry(connection.carrier);
        break;
      case "live":
        this.#callOff = timers.after(settledMs, () => this.#signal({ type: "progress" }));
        break;
      case "waiting":
        this.#callOff = timers.after(connection.delayMs, () => this.#due());
        break;
      case "offline":
        this.#callOff = timers.after(offlineMs, () => this.#due());
        break;
      case "closed":
        this.#letGo();
        this.#unwatch();
        this.#ports.onClose();
        break;
    }
  }

  #due(): void {
    this.#signal({ type: "due", carrier: this.#choose() });
  }

  #choose(): Carrier {
    return chooseCarrier({ sockets: this.#open.socket !== null, failures: this.#failures, last: this.#last });
  }

  #drop(): void {
    const carrying = this.#carrying;
    this.#carrying = null;
    this.#turn = null;
    carrying?.close();
  }

  #carry(carrier: Carrier): void {
    const { requests, threadId, silent } = this.#ports;
    const open = carrier === "socket" ? (this.#open.socket ?? this.#open.sse) : this.#open.sse;
    this.#last = carrier;
    const turn = {};
    this.#turn = turn;
    const current = (): boolean => this.#turn === turn;
    this.#carrying = open(
      { requests, threadId, after: this.#anchored ? this.#state.last_seq : null, silent },
      {
        opened: () => {
          if (!current()) return;
          if (carrier === "socket") this.#failures = 0;
          this.#signal({ type: "opened" });
        },
        event: (event) => {
          if (current()) this.#take(event);
        },
        lost: (error, delayMs) => {
          if (current()) this.#lose(error, delayMs);
        },
        refused: (error) => {
          if (current()) this.#signal({ type: "refused", error });
        },
      },
    );
  }

  #take(event: ThreadEvent): void {
    if (event.type !== "snapshot") {
      if (event.seq <= this.#state.last_seq && this.#anchored) return;
      if (!this.#anchored || (event.prev !== undefined && event.prev !== this.#state.last_seq)) {
        this.#lose(new ThreadholdNetworkError(`Something was missed before event ${event.seq}.`), 0);
        return;
      }
    }
    this.#state = (this.#ports.fold ?? fold)(this.#state, event);
    this.#pending = openCallsAfter(this.#pending, event);
    this.#anchored = true;
    this.#signal({ type: "progress" });
    this.#events.tell(event);
    this.#changes.tell();
  }

  #lose(error: Error, delayMs: number): void {
    const { connection } = this;
    if (connection.state === "connecting" && connection.carrier === "socket") this.#failures += 1;
    const attempt = connection.state === "closed" ? 1 : connection.attempt + 1;
    const wait = delayMs + backOffMs(attempt, backOff, this.#ports.requests.settings.random());
    this.#signal({ type: "lost", error, delayMs: wait });
  }
}
