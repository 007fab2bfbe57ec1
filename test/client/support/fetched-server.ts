// A deployment for an injected fetch: a thread's events as a stream that a test writes, and responses by method and path.

import type { ClientFetch } from "#client/index.ts";
import type { ErrorCode } from "#contract/error.ts";
import type { ThreadEvent } from "#contract/event.ts";
import type { FeedDraft } from "#contract/feed.ts";

/** The response to a request: JSON, or a whole Response. */
export type Answer = (request: { body: unknown; query: URLSearchParams }) => unknown;

export class FetchedServer {
  /** Responses of `GET /api/threads` and other routes in the contract's form, with valid ids. */
  readonly answers: Record<string, Answer> = {};
  readonly requests: string[] = [];
  /** Serves the feeds of owners; without it requests for a feed fail. */
  feeds = false;
  readonly #streams = new Map<string, { write: (text: string) => void; close: () => void }>();
  readonly #watchers = new Set<() => void>();
  #prev = 0;

  readonly fetch: ClientFetch = (address, { method = "GET", body, signal }) => {
    const url = new URL(address);
    const path = url.pathname.replace("/api/~/", "/api/");
    this.requests.push(`${method} ${path}${url.search}`);
    const watched = this.feeds && path === "/api/threads/events" ? `feed ${url.search}` : undefined;
    const events = /^\/api\/threads\/([^/]+)\/events$/.exec(path)?.[1] ?? watched;
    const response = events === undefined ? null : this.#open(events, signal);
    for (const watcher of this.#watchers) watcher();
    if (response !== null) return Promise.resolve(response);
    const answer = this.answers[`${method} ${path}`];
    if (answer === undefined) return Promise.resolve(new Response("", { status: 404 }));
    const given: unknown = typeof body === "string" ? JSON.parse(body) : null;
    const said = answer({ body: given, query: url.searchParams });
    return Promise.resolve(said).then((value) => (value instanceof Response ? value : Response.json(value)));
  };

  /** The open streams, by path. */
  get following(): string[] {
    return [...this.#streams.keys()];
  }

  /** Sends an event to the followers of its thread. */
  tell(event: ThreadEvent): void {
    const prev = event.type === "snapshot" ? 0 : this.#prev;
    this.#prev = event.seq;
    const data = JSON.stringify({ ...event, prev });
    this.#streams.get(event.thread_id)?.write(`id: ${String(event.seq)}\nevent: ${event.type}\ndata: ${data}\n\n`);
  }

  /** Sends a message to the watchers of a feed; `query` is the query of their request. */
  word(draft: FeedDraft, query = ""): void {
    const seq = (this.#prev += 1);
    this.#streams.get(`feed ${query}`)?.write(`event: ${draft.type}\ndata: ${JSON.stringify({ ...draft, seq })}\n\n`);
  }

  /** Ends a thread's stream with the refusal as its reason. */
  refuse(threadId: string, code: ErrorCode): void {
    const data = JSON.stringify({ type: "error", code, message: "Refused." });
    this.#streams.get(threadId)?.write(`event: thread_error\ndata: ${data}\n\n`);
  }

  /** Ends a thread's stream because the thread is idle. */
  end(threadId: string): void {
    this.#streams.get(threadId)?.write("event: end\ndata: {}\n\n");
  }

  /** Breaks a stream; the name of a feed's stream is `feed ` and the query of its request. */
  cut(threadId: string): void {
    this.#streams.get(threadId)?.close();
  }

  /** Resolves once requests that contain `text` have arrived that many times. */
  async came(text: string, times = 1): Promise<void> {
    while (this.requests.filter((request) => request.includes(text)).length < times) {
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  #open(threadId: string, signal: AbortSignal | null | undefined): Response {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const close = (): void => {
          if (this.#streams.get(threadId) !== stream) return;
          this.#streams.delete(threadId);
          controller.close();
        };
        const stream = { write: (text: string) => controller.enqueue(encoder.encode(text)), close };
        this.#streams.set(threadId, stream);
        signal?.addEventListener("abort", close);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}
