// Sends pings to an object, to show that the client of a bridged stream is connected (bridged: the Worker reads the stream from the object
// and forwards it to the client). The platform responds to a ping without waking the object and records the time. The object checks that
// time before it gives back the stream's lease, the user's right to one open stream.

/** The minimum number of microseconds between two pings. */
const pauseMicros = 10_000_000;

/** The pings of one bridged stream. */
export class Pulse {
  readonly #now: () => number;
  #last = 0;

  /** `now` returns microseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Sends a ping, unless the previous one was sent too recently. */
  beat(socket: WebSocket | null): void {
    const at = this.#now();
    if (socket?.readyState !== WebSocket.OPEN || at - this.#last < pauseMicros) return;
    this.#last = at;
    socket.send("ping");
  }
}
