// Keeps a stream connected. A link opens carriers (WebSocket or SSE), reconnects with growing delays by the states of connection.ts, and
// closes shortly after its last holder released it. It passes events to `onEvent`. The owner of the link may then report progress or loss.

import { backOffMs } from "#lib/back-off.ts";

import type { Requests } from "../send-request.ts";
import type { OpenedCarrier, OpenCarrier, StreamEvent } from "./carrier.ts";
import { next } from "./connection.ts";
import type { Carrier, Connection, Signal } from "./connection.ts";
import { Listeners } from "./listeners.ts";
import { socketCarrier } from "./socket-carrier.ts";
import { openSse } from "./sse-carrier.ts";
import type { Stream } from "./stream.ts";

const backOffDelays = { first: 500, longest: 30_000 };

/** Milliseconds after which an open connection counts as progress even without an event. */
const settledMs = 10_000;

/** Milliseconds after which an attempt is made although the browser reports that it is offline. */
const offlineMs = 30_000;

/** Milliseconds that a link stays open without a holder. A component that renders again releases the link and holds it again at once. */
const closeDelayMs = 250;

/** The functions that open the carriers. With `socket: null` only SSE is used. */
export interface Carriers {
  socket: OpenCarrier | null;
  sse: OpenCarrier;
}

/** Dependencies and options of a link. */
export interface LinkPorts {
  requests: Requests;
  stream: Stream;
  /** Number of the last received event; null before the first event and for streams that cannot be resumed. */
  after: () => number | null;
  /** Handles an event. The link's owner may call `reportProgress` for a new event, and `reportLoss` if an event is missing. */
  onEvent: (received: StreamEvent) => void;
  /** Called once, when the link is closed. */
  onClose: () => void;
  /** Default: the carriers of the client's settings. */
  carriers?: Carriers | undefined;
}

/** A connection to one stream. It opens nothing before `start`. */
export class Link {
  readonly #ports: LinkPorts;
  readonly #carriers: Carriers;
  readonly #changes = new Listeners<[]>();
  #stopWatching = (): void => undefined;
  #connection: Connection;
  #failures = 0;
  /** Whether the last failure contained a delay that the server asked for. */
  #serverAskedToWait = false;
  #lastCarrier: Carrier | null = null;
  #carrier: OpenedCarrier | null = null;
  /** Identifies the current carrier. Events of earlier carriers are ignored. */
  #currentCarrier: object | null = null;
  #cancelTimer = (): void => undefined;
  #holders = 0;
  #cancelClose = (): void => undefined;

  constructor(ports: LinkPorts) {
    const { settings } = ports.requests;
    this.#ports = ports;
    this.#carriers = ports.carriers ?? { socket: settings.socket && socketCarrier(settings.socket), sse: openSse };
    this.#connection = settings.presence.online
      ? { state: "connecting", attempt: 0, carrier: this.#choose() }
      : { state: "offline", attempt: 0 };
  }

  /** Opens the first connection and begins to watch the network and the page's visibility. */
  start(): void {
    this.#stopWatching = this.#ports.requests.settings.presence.watch((change) => {
      if (change === "offline") this.#signal({ type: "offline" });
      else if (this.#connection.state !== "waiting" || !this.#serverAskedToWait)
        this.#signal({ type: change === "online" ? "online" : "due", carrier: this.#choose() });
      if (change === "visible") this.#carrier?.check();
    });
    this.#enter(this.#connection);
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Calls the listener when `connection` changes and when `notifyChange` is called. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  notifyChange(): void {
    this.#changes.notify();
  }

  /** Reports a new event: the delay before the next attempt is the shortest again. */
  reportProgress(): void {
    this.#signal({ type: "progress" });
  }

  /** Reports that the connection is lost, or that an event is missing: the link reconnects after a delay. */
  reportLoss(error: Error, delayMs = 0): void {
    const { connection } = this;
    if (connection.state === "connecting" && connection.carrier === "socket") this.#failures += 1;
    const attempt = connection.state === "closed" ? 1 : connection.attempt + 1;
    this.#serverAskedToWait = delayMs > 0;
    const wait = delayMs + backOffMs(attempt, backOffDelays, this.#ports.requests.settings.random());
    this.#signal({ type: "lost", error, delayMs: wait });
  }

  /** Keeps the link open until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    this.#cancelClose();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders > 0 || this.#connection.state === "closed") return;
      this.#cancelClose = this.#ports.requests.settings.timers.after(closeDelayMs, () => this.close());
    };
  }

  /** Connects at once if the link waits before its next attempt. Does nothing while a connection is open or opening. */
  retry(): void {
    this.#signal({ type: "due", carrier: this.#choose() });
  }

  close(): void {
    this.#signal({ type: "close" });
  }

  #signal(signal: Signal): void {
    const before = this.#connection;
    const after = next(before, signal);
    if (after === before) return;
    this.#connection = after;
    if (after.state !== before.state) this.#enter(after);
    this.#changes.notify();
  }

  /** Performs the effects of entering a state: opens or closes the carrier and starts the state's timer. */
  #enter(connection: Connection): void {
    const { timers } = this.#ports.requests.settings;
    this.#cancelTimer();
    if (connection.state !== "live") this.#closeCarrier();
    switch (connection.state) {
      case "connecting":
        this.#openCarrier(connection.carrier);
        break;
      case "live":
        this.#cancelTimer = timers.after(settledMs, () => this.#signal({ type: "progress" }));
        break;
      case "waiting":
        this.#cancelTimer = timers.after(connection.delayMs, () => this.retry());
        break;
      case "offline":
        this.#cancelTimer = timers.after(offlineMs, () => this.retry());
        break;
      case "closed":
        this.#cancelClose();
        this.#stopWatching();
        this.#ports.onClose();
        break;
    }
  }

  #choose(): Carrier {
    return chooseCarrier({
      sockets: this.#carriers.socket !== null,
      failures: this.#failures,
      last: this.#lastCarrier,
    });
  }

  #closeCarrier(): void {
    const carrying = this.#carrier;
    this.#carrier = null;
    this.#currentCarrier = null;
    carrying?.close();
  }

  #openCarrier(carrier: Carrier): void {
    const { requests, stream, after, onEvent } = this.#ports;
    const open = carrier === "socket" ? (this.#carriers.socket ?? this.#carriers.sse) : this.#carriers.sse;
    this.#lastCarrier = carrier;
    const turn = {};
    this.#currentCarrier = turn;
    const current = (): boolean => this.#currentCarrier === turn;
    this.#carrier = open(
      { requests, stream, after: after() },
      {
        opened: () => {
          if (!current()) return;
          if (carrier === "socket") this.#failures = 0;
          this.#signal({ type: "opened" });
        },
        event: (received) => {
          if (current()) onEvent(received);
        },
        lost: (error, delayMs) => {
          if (current()) this.reportLoss(error, delayMs);
        },
        refused: (error) => {
          if (current()) this.#signal({ type: "refused", error });
        },
      },
    );
  }
}

/** After this many consecutive sockets failed to open, no more sockets are tried. */
const maxFailures = 3;

interface CarrierHistory {
  /** Whether the platform or the options provide a WebSocket class. */
  sockets: boolean;
  /** The number of sockets that failed to open since one last opened. */
  failures: number;
  /** The carrier of the previous attempt; null before the first one. */
  last: Carrier | null;
}

/**
 * The carrier of the next attempt. In a browser a socket that fails before it opens gives no reason, so the next attempt uses SSE, whose
 * response gives one. After several failures only SSE is used.
 */
function chooseCarrier({ sockets, failures, last }: CarrierHistory): Carrier {
  if (!sockets || failures >= maxFailures) return "sse";
  return failures > 0 && last === "socket" ? "sse" : "socket";
}
