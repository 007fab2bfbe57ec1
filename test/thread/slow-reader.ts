// A reader that acknowledges only when a test asks for it.

import type { ThreadEvent } from "#contract/event.ts";
import { callerHeader, subscribePath } from "#core/rpc/thread-rpc.ts";

import { reportWait } from "./open-waits.ts";
import { admin, stubOf } from "./thread-driver.ts";

/** One subscription. */
export class SlowReader {
  readonly events: ThreadEvent[] = [];
  /** The UTF-16 units of JSON that it was sent. */
  size = 0;
  /** The code with which it is closed. */
  readonly closed: Promise<number>;
  readonly #thread: string;
  readonly #socket: WebSocket;
  readonly #pongs: (() => void)[] = [];
  #check = (): void => {};

  private constructor(thread: string, socket: WebSocket) {
    this.#thread = thread;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (data === "pong") {
        this.#pongs.shift()?.();
        return;
      }
      this.size += String(data).length;
      this.events.push(JSON.parse(String(data)) as ThreadEvent);
      this.#check();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code }) => {
        resolve(code);
        socket.close();
      });
    });
    socket.accept();
  }

  /** Begins with the event after this number; null begins with a snapshot. */
  static async open(id: string, after: string | null = "0"): Promise<SlowReader> {
    const request = new Request(`https://thread${subscribePath}${after === null ? "" : `?after=${after}`}`, {
      headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(admin) },
    });
    const { webSocket } = await stubOf(id).fetch(request);
    if (webSocket === null) throw new Error("no socket");
    return new SlowReader(id, webSocket);
  }

  /** Sends any text to the object. */
  say(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Resolves when everything that was sent earlier has arrived. */
  pong(): Promise<void> {
    return new Promise((resolve) => {
      this.#pongs.push(resolve);
      this.#socket.send("ping");
    });
  }

  close(): void {
    this.#socket.close();
  }

  /** Acknowledges the last received event. */
  acknowledge(): void {
    this.#socket.send(JSON.stringify({ type: "ack", seq: this.events.at(-1)?.seq ?? 0 }));
  }

  /** Resolves when `test` holds; it is checked at each event. */
  until(test: () => boolean): Promise<void> {
    const paused = new Promise<void>((resolve) => {
      this.#check = () => {
        if (test()) resolve();
      };
      this.#check();
    });
    return reportWait(paused, { thread: this.#thread, what: String(test), events: this.events });
  }

  /** Acknowledges each event until the one with this number has arrived. */
  async goOn(last: number): Promise<void> {
    while ((this.events.at(-1)?.seq ?? 0) < last) {
      const had = this.events.length;
      this.acknowledge();
      await this.until(() => this.events.length > had);
    }
    this.#socket.close();
  }
}
