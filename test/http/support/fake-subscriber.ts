// The object's end of a subscription, which a test can inspect and drop.

import type { FakeEvent } from "./fake-thread.ts";

export class FakeSubscriber {
  readonly acknowledged: number[] = [];
  pings = 0;
  /** The code with which the reader closed. */
  closedBy: number | null = null;
  readonly request: Request;
  readonly url: URL;
  readonly #socket: WebSocket;
  readonly #closed = Promise.withResolvers<number>();
  #watchers: (() => void)[] = [];
  #open = true;

  constructor(socket: WebSocket, request: Request, url: URL) {
    this.request = request;
    this.url = url;
    this.#socket = socket;
    socket.accept();
    socket.addEventListener("message", ({ data }) => {
      if (data === "ping") {
        this.pings += 1;
        return;
      }
      const frame = JSON.parse(String(data)) as { type: string; seq: number };
      if (frame.type === "ack") this.acknowledged.push(frame.seq);
      for (const watcher of this.#watchers) watcher();
    });
    socket.addEventListener("close", ({ code }) => {
      this.#open = false;
      this.closedBy = code;
      this.#closed.resolve(code);
    });
  }

  tell(event: FakeEvent): void {
    const run = this.url.searchParams.get("run_id");
    const types = this.url.searchParams.get("types")?.split(",");
    if (run !== null && event.run_id !== run) return;
    if (types !== undefined && !types.includes(event.type)) return;
    this.say(JSON.stringify(event));
  }

  say(text: string): void {
    if (this.#open) this.#socket.send(text);
  }

  drop(code: number, reason = ""): void {
    this.#open = false;
    this.#socket.close(code, reason);
  }

  /** The code with which the reader closes. */
  left(): Promise<number> {
    return this.#closed.promise;
  }

  /** Resolves once everything up to `seq` is acknowledged. */
  async acknowledgedUpTo(seq: number): Promise<void> {
    while ((this.acknowledged.at(-1) ?? 0) < seq) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers = [resolve];
      await promise;
    }
  }
}
