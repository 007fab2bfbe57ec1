// One subscriber over a WebSocket. It stores frames without parsing them, so that a thousand subscribers cost little.
// It acknowledges as the contract requires, unless it is silent. It offers no compression, for which the dev server
// would use a quarter of a MiB for each connection.

import WebSocket from "ws";

/** Bytes after which it acknowledges, as the contract's client does. The first event is acknowledged at once. */
const acknowledgeBytes = 64 * 1024;
const endMark = '"type":"run_end"';
const seqPattern = /"seq":(\d+)/;

export class Member {
  #socket;
  #silent;
  #last = null;
  #unacknowledged = 0;
  /** Unacknowledged bytes from which on an acknowledgement is due. */
  #dueBytes = 0;
  #endings = 0;
  #awaited = 0;
  #onEvent = () => {};
  frames = [];
  bytes = 0;
  largest = 0;
  /** Whether frames are stored. */
  keeps = false;

  constructor(url, silent) {
    this.#silent = silent;
    this.#socket = new WebSocket(url, { perMessageDeflate: false });
    this.closed = new Promise((resolve) => this.#socket.once("close", resolve));
    this.#socket.on("message", (data) => this.#take(data));
  }

  opened() {
    return new Promise((resolve, reject) => {
      this.#socket.once("open", resolve);
      this.#socket.once("error", reject);
    });
  }

  /** Resolves with the next end of a run that was not waited for yet. */
  async ended() {
    this.#awaited += 1;
    if (this.#endings >= this.#awaited) return;
    const onEvent = new Promise((resolve) => {
      this.#onEvent = () => {
        if (this.#endings >= this.#awaited) resolve();
      };
    });
    const cut = this.closed.then((code) => Promise.reject(new Error(`A subscriber was closed with ${String(code)}.`)));
    await Promise.race([onEvent, cut]);
  }

  /** Acknowledges the last received event. */
  acknowledge() {
    const seq = seqPattern.exec(this.#last?.toString("utf8") ?? "")?.[1];
    if (this.#unacknowledged === 0 || seq === undefined || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#unacknowledged = 0;
    this.#dueBytes = acknowledgeBytes;
    this.#socket.send(JSON.stringify({ type: "ack", seq: Number(seq) }));
  }

  /** Called regularly: acknowledges what is due. */
  beat() {
    if (!this.#silent) this.acknowledge();
  }

  /** Acknowledges what it has, and stops reading its connection. */
  stall() {
    this.acknowledge();
    this.#socket.pause();
  }

  close() {
    this.#socket.terminate();
  }

  #take(data) {
    if (this.keeps) this.frames.push(data.toString("utf8"));
    this.#last = data;
    this.bytes += data.length;
    this.largest = Math.max(this.largest, data.length);
    this.#unacknowledged += data.length;
    if (!this.#silent && this.#unacknowledged >= this.#dueBytes) this.acknowledge();
    if (!data.includes(endMark)) return;
    this.#endings += 1;
    this.#onEvent();
  }
}
