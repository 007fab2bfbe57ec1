// A chat of AI SDK UI on a thread: the chat object of `useChat`, with what a durable run changes. A stop stops the run; an answer to
// a call is posted at once; a lost connection is resumed; a request that the server refuses because a thread has no branches leaves
// the conversation as it is.

import { Chat } from "@ai-sdk/react";
import type { ChatInit, UIMessage } from "ai";

import { ThreadholdClientError, ThreadholdNetworkError } from "#client/client-error.ts";
import type { ThreadholdClient } from "#client/index.ts";
import { backOffMs } from "#lib/back-off.ts";
import { deferred } from "#lib/deferred.ts";
import { pause, platformTimers } from "#lib/timers.ts";

import { ThreadTransport } from "./thread-transport.ts";

/** Options that a component may change with each render. */
export type ChatCallbacks<M extends UIMessage> = Pick<
  ChatInit<M>,
  "onToolCall" | "onData" | "onError" | "onFinish" | "dataPartSchemas" | "messageMetadataSchema" | "generateId"
>;

type ToolCall<M extends UIMessage> = Parameters<NonNullable<ChatInit<M>["onToolCall"]>>[0]["toolCall"];

const backOff = { first: 500, longest: 10_000 };

/** The chat of one thread. */
export class ThreadChat<M extends UIMessage> {
  readonly chat: Chat<M>;
  readonly #client: ThreadholdClient;
  readonly #threadId: string;
  readonly #transport: ThreadTransport<M>;
  #callbacks: ChatCallbacks<M>;
  /** Calls whose answers have not been posted. */
  readonly #answers = new Set<string>();
  /** Calls that `onToolCall` was called for. */
  readonly #offered = new Set<string>();
  /** Calls that had a result when the conversation was loaded. */
  readonly #settled = new Set<string>();
  #isLoaded = false;
  #isOpen = false;
  /** Settles when the first attempt to load has ended. */
  readonly #loading = deferred<void>();

  constructor(client: ThreadholdClient, threadId: string, callbacks: ChatCallbacks<M>) {
    this.#client = client;
    this.#threadId = threadId;
    this.#callbacks = callbacks;
    this.#transport = new ThreadTransport<M>({ client, threadId, loaded: (...loaded) => this.#show(...loaded) });
    const { dataPartSchemas, messageMetadataSchema, generateId } = callbacks;
    this.chat = new Chat<M>({
      id: threadId,
      transport: this.#transport,
      ...(dataPartSchemas === undefined ? {} : { dataPartSchemas }),
      ...(messageMetadataSchema === undefined ? {} : { messageMetadataSchema }),
      ...(generateId === undefined ? {} : { generateId }),
      sendAutomaticallyWhen: ({ messages }) => this.#hasAnswer(messages.at(-1)),
      onToolCall: ({ toolCall }) => {
        // A resumed stream is the whole answer, with its earlier calls.
        if (this.#settled.has(toolCall.toolCallId)) return;
        this.#offered.add(toolCall.toolCallId);
        return this.#callbacks.onToolCall?.({ toolCall });
      },
      onData: (part) => this.#callbacks.onData?.(part),
      onError: (error) => {
        this.#loading.resolve();
        this.#callbacks.onError?.(error);
      },
      onFinish: (finish) => {
        this.#callbacks.onFinish?.(finish);
        if (finish.isDisconnect) void this.#reconnect();
      },
    });
  }

  /** Whether the stored conversation has been loaded. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Replaces the callbacks. */
  use(callbacks: ChatCallbacks<M>): void {
    this.#callbacks = callbacks;
  }

  /** Keeps the chat's connection until the returned function is called. The run continues without it. */
  open(): () => void {
    this.#isOpen = true;
    return () => {
      this.#isOpen = false;
      // A message that was posted without a response may not have reached the server yet.
      void this.#transport.posted.then(() => (this.#isOpen ? undefined : this.chat.stop()));
    };
  }

  readonly sendMessage: Chat<M>["sendMessage"] = async (...message) => {
    await this.#loading.promise;
    await this.#keepIfNotAvailable(() => this.chat.sendMessage(...message));
  };

  readonly regenerate: Chat<M>["regenerate"] = (...options) =>
    this.#keepIfNotAvailable(() => this.chat.regenerate(...options));

  /** Stops the run and shows what it answered until then. Rejects if the server could not be reached; the run then continues. */
  readonly stop = async (): Promise<void> => {
    await this.#transport.posted;
    const { status, lastMessage } = this.chat;
    const isStreaming = status === "streaming" && lastMessage?.role === "assistant";
    await this.#client.thread(this.#threadId).stop(isStreaming ? lastMessage.id : undefined);
    await this.chat.stop();
    await this.chat.resumeStream();
  };

  readonly addToolOutput: Chat<M>["addToolOutput"] = (output) => {
    this.#answers.add(output.toolCallId);
    return this.chat.addToolOutput(output);
  };

  readonly addToolApprovalResponse: Chat<M>["addToolApprovalResponse"] = (response) => {
    // The id of an approval is that of its call.
    this.#answers.add(response.id);
    return this.chat.addToolApprovalResponse(response);
  };

  #show(messages: M[], isIdle: boolean): void {
    this.#isLoaded = true;
    this.chat.messages = messages;
    const parts = messages.flatMap((message) => message.parts as readonly { toolCallId?: string; state?: string }[]);
    for (const { toolCallId, state = "" } of parts) {
      if (toolCallId !== undefined && state.startsWith("output-")) this.#settled.add(toolCallId);
    }
    this.#loading.resolve();
    if (isIdle) this.#offerCalls(messages.at(-1));
  }

  /** Offers the calls that waited for the client before this chat was opened. */
  #offerCalls(message: M | undefined): void {
    if (message?.role !== "assistant") return;
    for (const part of message.parts as readonly Partial<ToolCall<M> & { state: string; type: string }>[]) {
      const { type = "", state, toolCallId, input, providerExecuted } = part;
      if (state !== "input-available" || toolCallId === undefined || providerExecuted === true) continue;
      if (this.#offered.has(toolCallId)) continue;
      this.#offered.add(toolCallId);
      const toolCall = { toolCallId, toolName: type.replace(/^tool-/, ""), input } as ToolCall<M>;
      void this.#callTool(toolCall);
    }
  }

  async #callTool(toolCall: ToolCall<M>): Promise<void> {
    try {
      await this.#callbacks.onToolCall?.({ toolCall });
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  #hasAnswer(message: M | undefined): boolean {
    const parts = (message?.role === "assistant" ? message.parts : []) as readonly { toolCallId?: string }[];
    const answered = parts.flatMap(({ toolCallId }) =>
      toolCallId !== undefined && this.#answers.has(toolCallId) ? [toolCallId] : [],
    );
    // The request that follows posts them. If it fails, the chat has its error.
    for (const id of answered) this.#answers.delete(id);
    return answered.length > 0;
  }

  /** Resumes an answer whose connection was lost, until an attempt reaches the server. */
  async #reconnect(): Promise<void> {
    for (let attempt = 1; this.#isOpen && this.chat.status === "error"; attempt += 1) {
      await pause(platformTimers, backOffMs(attempt, backOff, Math.random() + 0.5)).done;
      if (!this.#isOpen || this.chat.status !== "error") return;
      await this.chat.resumeStream();
      if (!(this.chat.error instanceof ThreadholdNetworkError)) return;
    }
  }

  /** The chat drops messages before it sends such a request. They stay if the server refuses it. */
  async #keepIfNotAvailable(send: () => Promise<void>): Promise<void> {
    const before = this.chat.messages;
    await send();
    const { error } = this.chat;
    if (error instanceof ThreadholdClientError && error.code === "not_available") this.chat.messages = before;
  }
}
