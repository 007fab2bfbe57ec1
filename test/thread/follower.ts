// Followers of a thread as real clients: through the whole Worker, over a socket or over SSE. A socket follower attaches again after its
// last number when its connection breaks, as the contract requires; an SSE follower reads one response.

import { exports } from "cloudflare:workers";

import type { ThreadEvent } from "#contract/event.ts";

import { reportWait } from "./open-waits.ts";

/** The transport of a follower. */
export type Kind = "socket" | "sse";

/** One subscription, from a number on. */
export class Follower {
  readonly kind: Kind;
  readonly after: number;
  readonly events: ThreadEvent[] = [];
  /** Frames whose `prev` is not the number of the frame before, and a connection that ended for good before `leave`. */
  readonly faults: string[] = [];
  readonly #thread: string;
  readonly #path: string;
  readonly #waiting = new Set<() => void>();
  #pongs: (() => void)[] = [];
  #socket: WebSocket | null = null;
  #stream: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #left = false;

  private constructor(kind: Kind, id: string, after: number) {
    this.kind = kind;
    this.after = after;
    this.#thread = id;
    this.#path = `http://localhost/api/threads/${id}/${kind === "socket" ? "stream" : "events"}`;
  }

  static async open(kind: Kind, id: string, after: number): Promise<Follower> {
    const follower = new Follower(kind, id, after);
    await (kind === "socket" ? follower.#attach() : follower.#read());
    return follower;
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? this.after;
  }

  /** Resolves with the first fitting event, past or future. Rejects if the subscription has a fault before. */
  until(fits: (event: ThreadEvent) => boolean): Promise<ThreadEvent> {
    const fitting = new Promise<ThreadEvent>((resolve, reject) => {
      const look = (): void => {
        const found = this.events.find(fits);
        if (found !== undefined) resolve(found);
        else if (this.faults.length > 0) reject(new Error(`The subscription has faults: ${this.faults.join(", ")}`));
        else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
    return this.#reported(fitting, `an event: ${String(fits)}`);
  }

  /** Sends a ping; a socket's ping is answered without waking the object. */
  async ping(): Promise<void> {
    const answered = new Promise<void>((resolve) => this.#pongs.push(resolve));
    this.#socket?.send("ping");
    await this.#reported(answered, "a pong");
  }

  async leave(): Promise<void> {
    this.#left = true;
    this.#socket?.close(1000, "done");
    await this.#stream?.cancel();
  }

  #reported<T>(promise: Promise<T>, what: string): Promise<T> {
    const by = `${this.kind} from ${String(this.after)}`;
    return reportWait(promise, { thread: this.#thread, what: `${what} (${by})`, events: this.events });
  }

  async #attach(): Promise<void> {
    const request = new Request(`${this.#path}?after=${String(this.lastSeq)}`, { headers: { upgrade: "websocket" } });
    const { webSocket: socket, status } = await exports.default.fetch(request);
    if (socket === null) throw new Error(`no socket: ${String(status)}`);
    this.#socket = socket;
    // Both events may report a lost connection. Frames that arrive after the first one are received again over the next socket.
    const handleLoss = (): void => {
      if (this.#left || this.#socket !== socket) return;
      this.#socket = null;
      this.#attach().catch((reason: unknown) => this.#ended(String(reason)));
    };
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket !== socket) return;
      if (data === "pong") {
        this.#pongs.shift()?.();
        return;
      }
      this.#take(String(data));
      if (!this.#left) socket.send(JSON.stringify({ type: "ack", seq: this.lastSeq }));
    });
    socket.addEventListener("close", handleLoss);
    socket.addEventListener("error", handleLoss);
    socket.accept();
  }

  async #read(): Promise<void> {
    const response = await exports.default.fetch(new Request(`${this.#path}?after=${String(this.after)}`));
    if (response.body === null) throw new Error(`no body: ${String(response.status)}`);
    this.#stream = (response.body as ReadableStream<Uint8Array>).getReader();
    void this.#pump(this.#stream).then(
      () => this.#ended("the answer ended"),
      (reason: unknown) => this.#ended(String(reason)),
    );
  }

  async #pump(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for (let step = await stream.read(); !step.done; step = await stream.read()) {
      const blocks = (rest + decoder.decode(step.value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) this.#take(data);
      }
    }
  }

  /** Only the reader may end its response; any other end is a fault. */
  #ended(how: string): void {
    if (this.#left) return;
    this.faults.push(how);
    this.#wake();
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }

  #take(json: string): void {
    const event = JSON.parse(json) as ThreadEvent;
    if (event.prev !== this.lastSeq) {
      this.faults.push(`${String(event.seq)} follows ${String(event.prev)}, not ${String(this.lastSeq)}`);
    }
    if (event.seq <= this.lastSeq) this.faults.push(`${String(event.seq)} after ${String(this.lastSeq)}`);
    this.events.push(event);
    this.#wake();
  }
}
