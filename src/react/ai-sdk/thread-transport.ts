// The default transport of AI SDK UI with a client's address and credentials. An error of the API keeps its code. A resume first attaches
// to the stream of the current answer and then reads the stored conversation. So an answer that ends in between is in one of the two.

import { DefaultChatTransport } from "ai";
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";

import { errorFromResponse } from "#client/client-error.ts";
import type { ThreadholdClient } from "#client/index.ts";

/** The thread of a transport, and how the chat receives the stored conversation. */
export interface ThreadTransportPorts<M extends UIMessage> {
  client: ThreadholdClient;
  threadId: string;
  /** Receives the stored conversation. `isIdle`: no answer is being streamed. */
  loaded: (messages: M[], isIdle: boolean) => void;
  /** Receives a message that the server has accepted. */
  posted: (message: M) => void;
  /** Called before the error of a posted message is thrown. */
  failed: (message: M, thrown: unknown) => Promise<void>;
  /** Whether the chat is still used. If not, the response to a posted message is not read. */
  isOpen: () => boolean;
}

/** Sends messages to a thread and resumes its answers. */
export class ThreadTransport<M extends UIMessage> extends DefaultChatTransport<M> {
  readonly #ports: ThreadTransportPorts<M>;
  readonly #root: `/${string}`;
  #posting: Promise<unknown> = Promise.resolve();

  constructor(ports: ThreadTransportPorts<M>) {
    const root = `/api/~/ai-sdk/threads/${encodeURIComponent(ports.threadId)}` as const;
    // The base class passes a path as text.
    const send = (path: unknown, init?: RequestInit): Promise<Response> => request(ports.client, path as "/", init);
    super({ api: `${root}/chat`, fetch: send as typeof fetch });
    this.#ports = ports;
    this.#root = root;
  }

  /** Settles when no posted message waits for its response. */
  get posted(): Promise<void> {
    return this.#posting.then(
      () => undefined,
      () => undefined,
    );
  }

  override sendMessages(
    options: Parameters<ChatTransport<M>["sendMessages"]>[0],
  ): Promise<ReadableStream<UIMessageChunk>> {
    const posting = this.#post(options);
    this.#posting = posting;
    return posting;
  }

  async #post(options: Parameters<ChatTransport<M>["sendMessages"]>[0]): Promise<ReadableStream<UIMessageChunk>> {
    const { messages, messageId } = options;
    const message = messages.findLast(({ id }) => id === messageId) ?? messages.at(-1);
    let stream: ReadableStream<UIMessageChunk>;
    try {
      stream = await super.sendMessages(options);
    } catch (thrown) {
      if (message !== undefined) await this.#ports.failed(message, thrown);
      throw thrown;
    }
    if (message !== undefined) this.#ports.posted(message);
    if (this.#ports.isOpen()) return stream;
    await stream.cancel();
    return new ReadableStream({ start: (controller) => controller.close() });
  }

  protected override processResponseStream(body: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    return super.processResponseStream(withNetworkError(body));
  }

  override async reconnectToStream(
    options: Parameters<ChatTransport<M>["reconnectToStream"]>[0],
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const stream = await super.reconnectToStream(options);
    try {
      const { abortSignal: signal } = options;
      const init = signal === undefined ? {} : { signal };
      const response = await request(this.#ports.client, `${this.#root}/messages`, init);
      // The messages are not validated, because the server builds them from the same types.
      const messages = (await response.json()) as M[];
      signal?.throwIfAborted();
      this.#ports.loaded(messages, stream === null);
    } catch (thrown) {
      await stream?.cancel().catch(() => undefined);
      throw thrown;
    }
    return stream;
  }
}

/** Sends a request with the client's credentials. Throws for an error response. */
async function request(client: ThreadholdClient, path: `/${string}`, init: RequestInit = {}): Promise<Response> {
  const response = await client.fetch(path, init);
  if (response.ok) return response;
  throw await errorFromResponse(response);
}

/** The body, with a failure replaced by the error that a chat recognizes as a lost connection. Browsers have different error messages. */
function withNetworkError(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      } catch (thrown) {
        const isAbort = thrown instanceof Error && thrown.name === "AbortError";
        controller.error(isAbort ? thrown : new TypeError("network error", { cause: thrown }));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
