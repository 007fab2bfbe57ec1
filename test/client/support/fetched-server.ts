// A deployment behind an injected fetch: a thread's events as a stream that a test writes, and answers by method and path.

import type { ClientFetch } from "#client/index.ts";
import type { ErrorCode } from "#contract/error.ts";
import type { ThreadEvent } from "#contract/event.ts";
import type { FeedDraft } from "#contract/feed.ts";

/** What a request is answered: JSON, or a whole response. */
export type Answer = (request: { body: unknown; query: URLSearchParams }) => unknown;

/** The deployment. */
export class FetchedServer {
  /** `GET /api/threads` and the like, as the contract writes them, with real ids. */
  readonly answers: Record<string, Answer> = {};
  readonly requests: string[] = [];
  /** Serves the feeds of owners; without it there are none. */
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

  /** Streams that are open. */
  get following(): string[] {
    return [...this.#streams.keys()];
  }

  /** Tells an event to who follows its thread. */
  tell(event: ThreadEvent): void {
    const prev = event.type === "snapshot" ? 0 : this.#prev;
    this.#prev = event.seq;
    const data = JSON.stringify({ ...event, prev });
    this.#streams.get(event.thread_id)?.write(`id: ${String(event.seq)}\nevent: ${event.type}\ndata: ${data}\n\n`);
  }

  /** Tells the watchers of a feed; `query` is what they asked with. */
  word(draft: FeedDraft, query = ""): void {
    const seq = (this.#prev += 1);
    this.#streams.get(`feed ${query}`)?.write(`event: ${draft.type}\ndata: ${JSON.stringify({ ...draft, seq })}\n\n`);
  }

  /** Ends a thread's stream with the reason that it is refused for. */
  refuse(threadId: string, code: ErrorCode): void {
    const data = JSON.stringify({ type: "error", code, message: "Refused." });
    this.#streams.get(threadId)?.write(`event: thread_error\ndata: ${data}\n\n`);
  }

  /** Ends a thread's stream because the thread is idle. */
  end(threadId: string): void {
    this.#streams.get(threadId)?.write("event: end\ndata: {}\n\n");
  }

  /** Cuts a stream off; a feed's is `feed ` and what it was asked with. */
  cut(threadId: string): void {
    this.#streams.get(threadId)?.close();
  }

  /** Resolves once a request came that holds `text`, so many times. */
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
