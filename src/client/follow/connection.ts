// The states of a subscription's connection, and a table of the transitions between them. This file has no side effects: link.ts opens and
// closes connections, and waits. The table's type requires an entry for every signal in every state.

/** The transport that carries the events. */
export type Carrier = "socket" | "sse";

/** State of a subscription's connection. `attempt` counts the attempts since the last progress, from 0. */
export type Connection =
  | { readonly state: "connecting"; readonly attempt: number; readonly carrier: Carrier }
  | { readonly state: "live"; readonly attempt: number; readonly carrier: Carrier }
  /** Between two attempts. The next one starts after `delayMs`, when the network returns, or when the page becomes visible. */
  | { readonly state: "waiting"; readonly attempt: number; readonly delayMs: number; readonly error: Error }
  /** The browser reports that it is offline. Since that may be wrong, an attempt is still made from time to time. */
  | { readonly state: "offline"; readonly attempt: number }
  /** Final: closed by the client (`error` is null) or refused by the server with `error`. */
  | { readonly state: "closed"; readonly error: Error | null };

/** An input of the state machine. */
export type Signal =
  | { readonly type: "opened" }
  /** A new event was received, or the connection has stayed open for a while. */
  | { readonly type: "progress" }
  | { readonly type: "lost"; readonly error: Error; readonly delayMs: number }
  | { readonly type: "refused"; readonly error: Error }
  /** The wait is over, or the page became visible. `carrier` is the transport of the next attempt. */
  | { readonly type: "due"; readonly carrier: Carrier }
  | { readonly type: "online"; readonly carrier: Carrier }
  | { readonly type: "offline" }
  | { readonly type: "close" };

type StateName = Connection["state"];
type StateOf<S extends StateName> = Extract<Connection, { state: S }>;
type SignalOf<T extends Signal["type"]> = Extract<Signal, { type: T }>;

type Table = {
  readonly [S in StateName]: {
    readonly [T in Signal["type"]]: (state: StateOf<S>, signal: SignalOf<T>) => Connection;
  };
};

const stay = (state: Connection): Connection => state;
const close = (): Connection => ({ state: "closed", error: null });
const refused = (_: Connection, { error }: SignalOf<"refused">): Connection => ({ state: "closed", error });
const offline = ({ attempt }: { attempt: number }): Connection => ({ state: "offline", attempt });
const lost = ({ attempt }: { attempt: number }, { error, delayMs }: SignalOf<"lost">): Connection => ({
  state: "waiting",
  attempt: attempt + 1,
  delayMs,
  error,
});
const connect = ({ attempt }: { attempt: number }, { carrier }: { carrier: Carrier }): Connection => ({
  state: "connecting",
  attempt,
  carrier,
});

/** The next state for each state and signal. */
const table: Table = {
  connecting: {
    opened: ({ attempt, carrier }) => ({ state: "live", attempt, carrier }),
    progress: stay,
    lost,
    refused,
    due: stay,
    online: stay,
    offline,
    close,
  },
  live: {
    opened: stay,
    progress: (state) => (state.attempt === 0 ? state : { ...state, attempt: 0 }),
    lost,
    refused,
    due: stay,
    online: stay,
    offline,
    close,
  },
  waiting: { opened: stay, progress: stay, lost: stay, refused, due: connect, online: connect, offline, close },
  offline: { opened: stay, progress: stay, lost: stay, refused, due: connect, online: connect, offline: stay, close },
  closed: {
    opened: stay,
    progress: stay,
    lost: stay,
    refused: stay,
    due: stay,
    online: stay,
    offline: stay,
    close: stay,
  },
};

/** Returns the state after a signal; the same object if the signal changes nothing. */
export function next(connection: Connection, signal: Signal): Connection {
  const row: Record<string, unknown> = table[connection.state];
  // The table's type guarantees that state and signal match, but the compiler cannot infer this from an index by both.
  const step = row[signal.type] as (state: Connection, signal: Signal) => Connection;
  return step(connection, signal);
}
