// Sends pings that show an object that the client of a bridged socket is connected. The platform answers a `ping` without waking
// the object, and stores its time.

/** The least number of microseconds between two pings. */
const pauseMicros = 10_000_000;

/** One per bridge. */
export class Pulse {
  readonly #now: () => number;
  #last = 0;

  /** `now` is microseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Sends a ping, unless the last one is less than the pause ago. */
  beat(socket: WebSocket | null): void {
    const at = this.#now();
    if (socket?.readyState !== WebSocket.OPEN || at - this.#last < pauseMicros) return;
    this.#last = at;
    socket.send("ping");
  }
}
