// The default transport of AI SDK UI with a client's address and credentials. An error of the API keeps its code. Resuming first
// attaches to the answer under way and then reads the stored conversation, so that an answer that ends in between is in one of them.

import { DefaultChatTransport } from "ai";
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";

import { errorFromResponse } from "#client/client-error.ts";
import type { ThreadholdClient } from "#client/index.ts";

/** The thread of a transport, and how the chat receives the stored conversation. */
export interface ThreadTransportPorts<M extends UIMessage> {
  client: ThreadholdClient;
  threadId: string;
  /** Receives the stored conversation. `isIdle`: no answer is under way. */
  loaded: (messages: M[], isIdle: boolean) => void;
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
    const posting = super.sendMessages(options);
    this.#posting = posting;
    return posting;
  }

  override async reconnectToStream(
    options: Parameters<ChatTransport<M>["reconnectToStream"]>[0],
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const stream = await super.reconnectToStream(options);
    try {
      const { abortSignal: signal } = options;
      const init = signal === undefined ? {} : { signal };
      const response = await request(this.#ports.client, `${this.#root}/messages`, init);
      // The wire is not validated: the server builds its messages from the same types.
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
