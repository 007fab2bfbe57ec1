// A connection that is kept up for as long as somebody holds it, and a little longer: whatever is cut is opened again, by the
// states of connection.ts. What is told goes to whoever follows, which says where to go on and whether something was missed.

import { backOffMs } from "#lib/back-off.ts";

import type { Requests } from "../request.ts";
import type { Carrying, OpenCarrier, Told } from "./carrier.ts";
import { next } from "./connection.ts";
import type { Carrier, Connection, Signal } from "./connection.ts";
import { Listeners } from "./listeners.ts";
import { socketCarrier } from "./socket-carrier.ts";
import { openSse } from "./sse-carrier.ts";
import type { Stream } from "./stream.ts";

const backOff = { first: 500, longest: 30_000 };

/** A connection that held this long was a success, even if nothing was told. */
const settledMs = 10_000;

/** How long to believe a browser that there is no network. */
const offlineMs = 30_000;

/** How long it stays when nobody holds it any more: a page that draws itself anew lets go and takes hold again. */
const lingerMs = 250;

/** What opens each carrier. Without `socket` no socket is tried. */
export interface Carriers {
  socket: OpenCarrier | null;
  sse: OpenCarrier;
}

/** What a link is made with. */
export interface LinkPorts {
  requests: Requests;
  stream: Stream;
  /** Number of the last event that is known; null for none, or where there is nothing to go on behind. */
  after: () => number | null;
  /** Takes what was told; says with `heard` or `lose` what it was worth. */
  take: (told: Told) => void;
  /** Called once, when it is over. */
  onClose: () => void;
  /** The client's own by default. */
  carriers?: Carriers | undefined;
}

/** A link. Nothing is opened before `start`. */
export class Link {
  readonly #ports: LinkPorts;
  readonly #open: Carriers;
  readonly #changes = new Listeners<[]>();
  #unwatch = (): void => undefined;
  #connection: Connection;
  #failures = 0;
  /** The last loss came with a wait that the server asked for. */
  #askedToWait = false;
  #last: Carrier | null = null;
  #carrying: Carrying | null = null;
  /** Stands for the carrier that may speak now. */
  #turn: object | null = null;
  #callOff = (): void => undefined;
  #holders = 0;
  #letGo = (): void => undefined;

  constructor(ports: LinkPorts) {
    const { settings } = ports.requests;
    this.#ports = ports;
    this.#open = ports.carriers ?? { socket: settings.socket && socketCarrier(settings.socket), sse: openSse };
    this.#connection = settings.presence.online
      ? { state: "connecting", attempt: 0, carrier: this.#choose() }
      : { state: "offline", attempt: 0 };
  }

  /** Begins. */
  start(): void {
    this.#unwatch = this.#ports.requests.settings.presence.watch((change) => {
      if (change === "offline") this.#signal({ type: "offline" });
      else if (this.#connection.state !== "waiting" || !this.#askedToWait)
        this.#signal({ type: change === "online" ? "online" : "due", carrier: this.#choose() });
      if (change === "visible") this.#carrying?.check();
    });
    this.#enter(this.#connection);
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Tells that `connection`, or what `changed` was called for, is another. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  changed(): void {
    this.#changes.tell();
  }

  /** What was told was worth something: the next cut begins with short waits again. */
  heard(): void {
    this.#signal({ type: "progress" });
  }

  /** What was told shows that something was missed. */
  lose(error: Error, delayMs = 0): void {
    const { connection } = this;
    if (connection.state === "connecting" && connection.carrier === "socket") this.#failures += 1;
    const attempt = connection.state === "closed" ? 1 : connection.attempt + 1;
    this.#askedToWait = delayMs > 0;
    const wait = delayMs + backOffMs(attempt, backOff, this.#ports.requests.settings.random());
    this.#signal({ type: "lost", error, delayMs: wait });
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

  /** Tries to connect at once if it waits before its next try. Does nothing while a connection is open or opening. */
  retry(): void {
    this.#due();
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
    const { requests, stream, after, take } = this.#ports;
    const open = carrier === "socket" ? (this.#open.socket ?? this.#open.sse) : this.#open.sse;
    this.#last = carrier;
    const turn = {};
    this.#turn = turn;
    const current = (): boolean => this.#turn === turn;
    this.#carrying = open(
      { requests, stream, after: after() },
      {
        opened: () => {
          if (!current()) return;
          if (carrier === "socket") this.#failures = 0;
          this.#signal({ type: "opened" });
        },
        event: (told) => {
          if (current()) take(told);
        },
        lost: (error, delayMs) => {
          if (current()) this.lose(error, delayMs);
        },
        refused: (error) => {
          if (current()) this.#signal({ type: "refused", error });
        },
      },
    );
  }
}

/** Sockets that failed to open, one after the other, before no more are tried. */
const mostFailures = 3;

interface CarrierFacts {
  /** The platform has sockets, or was given some. */
  sockets: boolean;
  /** Sockets that failed to open since one did. */
  failures: number;
  /** What the try before this one was made with; null on the first. */
  last: Carrier | null;
}

/**
 * The carrier of the next try. In a browser a socket that fails before it opens gives no reason, so the next try uses SSE, whose
 * response gives one. Where sockets keep failing, SSE is used alone.
 */
function chooseCarrier({ sockets, failures, last }: CarrierFacts): Carrier {
  if (!sockets || failures >= mostFailures) return "sse";
  return failures > 0 && last === "socket" ? "sse" : "socket";
}
