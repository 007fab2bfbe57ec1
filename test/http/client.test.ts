// The client inside a Worker: over a service binding, by server-sent events and by a socket of the platform.

import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { ClientOptions, ClientSocket } from "#client/index.ts";

/** A socket that is opened by a request to the binding, for a Worker that cannot reach a public address. */
class BindingSocket {
  readonly #target = new EventTarget();
  #socket: WebSocket | null = null;

  constructor(url: string) {
    void this.#open(url);
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#target.addEventListener(type, listener as EventListener);
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  close(code?: number, reason?: string): void {
    this.#socket?.close(code, reason);
  }

  async #open(url: string): Promise<void> {
    const request = new Request(url.replace(/^ws/, "http"), { headers: { upgrade: "websocket" } });
    const { webSocket } = await exports.default.fetch(request);
    if (webSocket === null) {
      this.#target.dispatchEvent(new CloseEvent("close", { code: 1006 }));
      return;
    }
    webSocket.addEventListener("message", ({ data }) =>
      this.#target.dispatchEvent(new MessageEvent("message", { data })),
    );
    webSocket.addEventListener("close", ({ code, reason }) =>
      this.#target.dispatchEvent(new CloseEvent("close", { code, reason })),
    );
    this.#socket = webSocket;
    webSocket.accept();
    this.#target.dispatchEvent(new Event("open"));
  }
}

const options: ClientOptions = {
  url: "http://localhost",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
};

it.each([
  ["server-sent events", null, "sse"],
  ["a socket", BindingSocket as unknown as new (url: string) => ClientSocket, "socket"],
] as const)(
  "A client inside a Worker follows a sent message over %s to the end of its run, and uploads and downloads files",
  async (_, socket, carrier) => {
    const client = new ThreadholdClient({ ...options, WebSocket: socket });
    const thread = client.thread(await client.threads.create({ agent_id: "short" }));
    const sending = thread.send("Hello");
    const types: string[] = [];
    for await (const { type } of sending) types.push(type);
    expect((await sending).status).toBe("completed");
    expect([types[0], types.at(-1)]).toEqual(["run_start", "run_end"]);
    expect(thread.connection).toMatchObject({ state: "live", carrier });
    expect(thread.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const emitted: number[] = [];
    await thread.files.upload("/a.txt", "Hello", { onProgress: ({ loaded }) => emitted.push(loaded) });
    expect(emitted.at(-1)).toBe(5);
    expect(await (await thread.files.download("/a.txt")).text()).toBe("Hello");
    client.close();
  },
);
