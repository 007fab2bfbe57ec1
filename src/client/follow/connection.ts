// The states of a subscription and how it goes from one to another, as data. Nothing happens here: follow.ts opens, closes and
// waits as the states say. The compiler keeps the table whole: every signal has an answer in every state.

/** What carries the events. */
export type Carrier = "socket" | "sse";

/** How a subscription stands. `attempt` counts the tries since something was last heard, from 0. */
export type Connection =
  | { readonly state: "connecting"; readonly attempt: number; readonly carrier: Carrier }
  | { readonly state: "live"; readonly attempt: number; readonly carrier: Carrier }
  /** Between two tries; the next comes in `delayMs`, or when the network is back or the page is looked at again. */
  | { readonly state: "waiting"; readonly attempt: number; readonly delayMs: number; readonly error: Error }
  /** The browser says that there is no network. It may be wrong, so now and then a try is made all the same. */
  | { readonly state: "offline"; readonly attempt: number }
  /** For ever: left, or refused with what `error` says. */
  | { readonly state: "closed"; readonly error: Error | null };

/** What can come to a subscription. */
export type Signal =
  | { readonly type: "opened" }
  /** Something was heard, or the connection has held for a while. */
  | { readonly type: "progress" }
  | { readonly type: "lost"; readonly error: Error; readonly delayMs: number }
  | { readonly type: "refused"; readonly error: Error }
  /** The wait is over, or the page is looked at. `carrier` is what to try with. */
  | { readonly type: "due"; readonly carrier: Carrier }
  | { readonly type: "online"; readonly carrier: Carrier }
  | { readonly type: "offline" }
  | { readonly type: "left" };

type StateName = Connection["state"];
type StateOf<S extends StateName> = Extract<Connection, { state: S }>;
type SignalOf<T extends Signal["type"]> = Extract<Signal, { type: T }>;

type Table = {
  readonly [S in StateName]: {
    readonly [T in Signal["type"]]: (state: StateOf<S>, signal: SignalOf<T>) => Connection;
  };
};

const stay = (state: Connection): Connection => state;
const left = (): Connection => ({ state: "closed", error: null });
const refused = (_: Connection, { error }: SignalOf<"refused">): Connection => ({ state: "closed", error });
const offline = ({ attempt }: { attempt: number }): Connection => ({ state: "offline", attempt });
const lost = ({ attempt }: { attempt: number }, { error, delayMs }: SignalOf<"lost">): Connection => ({
  state: "waiting",
  attempt: attempt + 1,
  delayMs,
  error,
});
const again = ({ attempt }: { attempt: number }, { carrier }: { carrier: Carrier }): Connection => ({
  state: "connecting",
  attempt,
  carrier,
});

/** What becomes of each state at each signal. */
const table: Table = {
  connecting: {
    opened: ({ attempt, carrier }) => ({ state: "live", attempt, carrier }),
    progress: stay,
    lost,
    refused,
    due: stay,
    online: stay,
    offline,
    left,
  },
  live: {
    opened: stay,
    progress: (state) => (state.attempt === 0 ? state : { ...state, attempt: 0 }),
    lost,
    refused,
    due: stay,
    online: stay,
    offline,
    left,
  },
  waiting: { opened: stay, progress: stay, lost: stay, refused, due: again, online: again, offline, left },
  offline: { opened: stay, progress: stay, lost: stay, refused, due: again, online: again, offline: stay, left },
  closed: {
    opened: stay,
    progress: stay,
    lost: stay,
    refused: stay,
    due: stay,
    online: stay,
    offline: stay,
    left: stay,
  },
};

/** The state after a signal; the same object where it changes nothing. */
export function next(connection: Connection, signal: Signal): Connection {
  const row: Record<string, unknown> = table[connection.state];
  // The table's type says that the two fit; indexing by both at once is more than the compiler follows.
  const step = row[signal.type] as (state: Connection, signal: Signal) => Connection;
  return step(connection, signal);
}
