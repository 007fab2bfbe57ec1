// What a client uses of its platform: a page's network state and visibility, its way to upload, and the defaults if these are missing.

import { afterEach, describe, expect, it } from "vitest";

import { ThreadholdClient, ThreadholdNetworkError } from "#client/index.ts";
import { platformPresence } from "#client/presence.ts";
import type { PresenceChange } from "#client/presence.ts";
import { withProgress } from "#client/upload.ts";

import { FetchedServer } from "./support/fetched-server.ts";

const page = globalThis as Record<string, unknown>;
const put: string[] = [];

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  put.push(name);
}

afterEach(() => {
  for (const name of put.splice(0)) delete page[name];
});

describe("presence", () => {
  it("A client outside of a browser page treats itself as online and visible", () => {
    const presence = platformPresence();
    expect([presence.online, presence.visible]).toEqual([true, true]);
    presence.watch(() => undefined)();
  });

  it("A client in a browser page takes its online and visible state from the page's events until it stops watching them", () => {
    const [window, document] = [new EventTarget(), Object.assign(new EventTarget(), { visibilityState: "hidden" })];
    define("document", document);
    define("navigator", { onLine: false });
    define("addEventListener", window.addEventListener.bind(window));
    define("removeEventListener", window.removeEventListener.bind(window));
    const presence = platformPresence();
    expect([presence.online, presence.visible]).toEqual([false, false]);
    const changes: PresenceChange[] = [];
    const leave = presence.watch((change) => changes.push(change));
    window.dispatchEvent(new Event("offline"));
    window.dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
    document.visibilityState = "visible";
    document.dispatchEvent(new Event("visibilitychange"));
    leave();
    window.dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
    expect(changes).toEqual(["offline", "online", "visible"]);
  });
});

/** The parts of XMLHttpRequest that an upload uses: it reports progress, then answers or fails. */
class PageRequest {
  static readonly sent: { method: string; url: string; headers: Record<string, string>; body: unknown }[] = [];
  static outcomes: (number | "cut")[] = [];
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  status = 0;
  responseText = "";
  #method = "";
  #url = "";
  readonly #headers: Record<string, string> = {};

  open(method: string, url: string): void {
    [this.#method, this.#url] = [method, url];
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  getResponseHeader(name: string): string | null {
    return name === "etag" ? '"sent"' : null;
  }

  send(body: unknown): void {
    PageRequest.sent.push({ method: this.#method, url: this.#url, headers: this.#headers, body });
    const outcome = PageRequest.outcomes.shift() ?? 201;
    queueMicrotask(() => {
      this.upload.onprogress?.({ loaded: 2, total: 5 });
      if (outcome === "cut") {
        this.onerror?.();
        return;
      }
      this.upload.onprogress?.({ loaded: 5, total: 5 });
      this.status = outcome;
      this.responseText = JSON.stringify({ path: "/a.txt", size: 5 });
      this.onload?.();
    });
  }

  abort(): void {
    this.onabort?.();
  }
}

describe("uploads", () => {
  it("An upload in a browser page uses XMLHttpRequest with the token in a header, and is sent again after a lost connection", async () => {
    define("XMLHttpRequest", PageRequest);
    PageRequest.outcomes = ["cut", 201];
    const timers = { after: (_: number, run: () => void) => (queueMicrotask(run), () => undefined) };
    const server = new FetchedServer();
    const client = new ThreadholdClient({
      url: "http://x",
      token: "anna-secret",
      fetch: server.fetch,
      retries: 1,
      timers,
    });
    const emitted: unknown[] = [];
    const record = await client
      .thread("t")
      .files.upload("a.txt", "Hello", { onProgress: (progress) => emitted.push(progress) });
    expect(record).toEqual({ path: "/a.txt", size: 5, etag: '"sent"' });
    expect(emitted.at(-1)).toEqual({ loaded: 5, total: 5 });
    expect(PageRequest.sent).toHaveLength(2);
    expect(PageRequest.sent[1]).toMatchObject({
      method: "PUT",
      url: "http://x/api/~/threads/t/files/a.txt",
      headers: { authorization: "Bearer anna-secret" },
      body: new TextEncoder().encode("Hello"),
    });
    expect(server.requests).toEqual([]);
  });

  it("An upload returns the entity tag of the file that it wrote, and a download with a tag requests that version only", async () => {
    const headers: unknown[] = [];
    const client = new ThreadholdClient({
      url: "http://x",
      fetch: (_, { headers: sent }) => {
        headers.push(sent);
        return Promise.resolve(Response.json({ path: "/a.txt", size: 5 }, { headers: { etag: '"fetched"' } }));
      },
    });
    const { files } = client.thread("t");
    expect((await files.upload("a.txt", "Hello")).etag).toBe('"fetched"');
    define("XMLHttpRequest", PageRequest);
    PageRequest.outcomes = [201];
    expect((await files.upload("a.txt", "Hello", { onProgress: () => undefined })).etag).toBe('"sent"');
    await files.download("a.txt", { range: "bytes=5-9", ifMatch: '"fetched"' });
    const byProgram = { "sec-fetch-site": "none" };
    expect(headers.at(-1)).toEqual({ ...byProgram, range: "bytes=5-9", "if-match": '"fetched"' });
    await files.download("a.txt", { range: "bytes=5-9" });
    expect(headers.at(-1)).toEqual({ ...byProgram, range: "bytes=5-9", "if-match": "*" });
    await files.download("a.txt");
    expect(headers.at(-1)).toEqual(byProgram);
  });

  it("A page reads a stream to its end before it uploads it, since not every browser sends streams", async () => {
    define("XMLHttpRequest", PageRequest);
    const bodies: unknown[] = [];
    const client = new ThreadholdClient({
      url: "http://x",
      fetch: (_, { body }) => {
        bodies.push(body);
        return Promise.resolve(Response.json({ path: "/a.txt", size: 5 }));
      },
    });
    await client.thread("t").files.upload("a.txt", new Blob(["Hello"]).stream());
    await client.threads.import(new Blob(["{}"]).stream());
    expect(await Promise.all(bodies.map((body) => (body as Blob).text()))).toEqual(["Hello", "{}"]);
  });

  it("An import of a thread by the client reports its progress, in a browser page and outside of one", async () => {
    for (const inPage of [true, false]) {
      define("XMLHttpRequest", inPage ? PageRequest : undefined);
      const emitted: unknown[] = [];
      const client = new ThreadholdClient({
        url: "http://x",
        retries: 0,
        fetch: async (_, { body }) => {
          await new Response(body).text();
          return Response.json({ id: "t" });
        },
      });
      await client.threads.import("lines", { onProgress: (progress) => emitted.push(progress) });
      expect(emitted.at(-1)).toEqual({ loaded: 5, total: 5 });
    }
  });

  it("If a progress listener of an upload throws, the upload continues, and the error is reported as uncaught", async () => {
    const thrown = new Promise<unknown>((resolve) => {
      const before = process.listeners("uncaughtException");
      process.removeAllListeners("uncaughtException");
      process.once("uncaughtException", (error) => {
        for (const listener of before) process.on("uncaughtException", listener);
        resolve(error);
      });
    });
    const body = withProgress("Hello", () => {
      throw new Error("a listener's own");
    });
    expect(await new Response(body).text()).toBe("Hello");
    expect(await thrown).toMatchObject({ message: "a listener's own" });
  });

  it("An abort ends an upload that a page sends", async () => {
    define("XMLHttpRequest", PageRequest);
    const client = new ThreadholdClient({ url: "http://x", retries: 0 });
    const leave = new AbortController();
    const upload = client
      .thread("t")
      .files.upload("a.txt", "Hello", { signal: leave.signal, onProgress: () => leave.abort() });
    await expect(upload).rejects.toMatchObject({ name: "AbortError" });
    PageRequest.outcomes = ["cut"];
    const cut = client.thread("t").files.upload("a.txt", "Hello", { onProgress: () => undefined });
    await expect(cut).rejects.toBeInstanceOf(ThreadholdNetworkError);
  });

  it.each([
    ["text", "é".repeat(50_000), 100_000],
    ["bytes", new Uint8Array(100_000), 100_000],
    ["a view of bytes", new DataView(new ArrayBuffer(100_010), 5, 100_000), 100_000],
    ["a blob", new Blob([new Uint8Array(100_000)]), 100_000],
    ["a stream", new Blob([new Uint8Array(100_000)]).stream(), null],
    ["nothing", "", 0],
  ])("An upload of %s reports its progress while its bytes are read", async (_, body, total) => {
    const emitted: { loaded: number; total: number | null }[] = [];
    const bytes = await new Response(withProgress(body, (progress) => emitted.push(progress))).arrayBuffer();
    expect(bytes.byteLength).toBe(total ?? 100_000);
    const loaded = emitted.map((progress) => progress.loaded);
    expect(loaded).toEqual(loaded.toSorted((one, other) => one - other));
    if (bytes.byteLength > 0) expect(emitted.at(-1)).toEqual({ loaded: bytes.byteLength, total });
  });
});
