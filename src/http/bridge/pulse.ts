// Says to an object that the client of a bridged socket is there. The platform answers a `ping` without waking the object, and
// remembers when it came.

/** Microseconds between two pings at least. */
const pauseMicros = 10_000_000;

/** One per bridge. */
export class Pulse {
  readonly #now: () => number;
  #last = 0;

  /** `now` is microseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Sends a ping, unless one was sent a moment ago. */
  beat(socket: WebSocket | null): void {
    const at = this.#now();
    if (socket?.readyState !== WebSocket.OPEN || at - this.#last < pauseMicros) return;
    this.#last = at;
    socket.send("ping");
  }
}
