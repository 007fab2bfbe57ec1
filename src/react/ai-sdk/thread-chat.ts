// A chat of AI SDK UI on a thread: the chat object of `useChat`, adapted to durable runs. `stop` stops the run on the server. An answer to
// a call is posted at once, and again after a lost connection. If the server refuses an answer, its call gets an error result, and the chat
// loads the conversation, so that it shows the same as the thread. A lost connection is resumed. If the server refuses an edit, or
// to answer again, the conversation stays unchanged.

import { Chat } from "@ai-sdk/react";
import type { ChatInit, UIMessage } from "ai";

import { isTransient, ThreadholdClientError, ThreadholdNetworkError } from "#client/client-error.ts";
import { Listeners } from "#client/follow/listeners.ts";
import type { ThreadholdClient } from "#client/index.ts";
import { answerOrFail, isContentRefusal, failureReason } from "#client/tools/refused-result.ts";
import { backOffMs } from "#lib/back-off.ts";
import { deferred } from "#lib/deferred.ts";
import type { Deferred } from "#lib/deferred.ts";
import { pause, platformTimers } from "#lib/timers.ts";

import { ThreadTransport } from "./thread-transport.ts";

/** Options that a component may change with each render. */
export type ChatCallbacks<M extends UIMessage> = Pick<
  ChatInit<M>,
  "onToolCall" | "onData" | "onError" | "onFinish" | "dataPartSchemas" | "messageMetadataSchema" | "generateId"
>;

type ToolCall<M extends UIMessage> = Parameters<NonNullable<ChatInit<M>["onToolCall"]>>[0]["toolCall"];

/** A part of a message; the fields are those of a tool part. */
type Part = Partial<{
  type: string;
  toolCallId: string;
  state: string;
  input: unknown;
  output: unknown;
  errorText: string;
  approval: { approved?: boolean; reason?: string };
  providerExecuted: boolean;
}>;

const backOff = { first: 500, longest: 10_000 };

/** The chat of one thread. */
export class ThreadChat<M extends UIMessage> {
  readonly chat: Chat<M>;
  readonly #client: ThreadholdClient;
  readonly #threadId: string;
  readonly #transport: ThreadTransport<M>;
  #callbacks: ChatCallbacks<M>;
  /** Answers that the server may not have: by call, a function that adds the answer to the chat. */
  readonly #answers = new Map<string, () => void | PromiseLike<void>>();
  /** Calls that `onToolCall` was called for. */
  readonly #offered = new Set<string>();
  /** Calls that had a result when the conversation was loaded. */
  readonly #settled = new Set<string>();
  readonly #changes = new Listeners<[]>();
  #isOpen = false;
  #state: "loading" | "loaded" | "failed" = "loading";
  /**
   * The load in progress; initially the load that a component will begin. Resolves when the conversation is shown, or when the load has
   * ended.
   */
  #load: Deferred<void> | null = deferred<void>();
  /** Whether the server has refused an answer that the chat shows as sent. */
  #isStale = false;
  /** Attempts to connect since the last one that reached the server. */
  #attempts = 0;

  constructor(client: ThreadholdClient, threadId: string, callbacks: ChatCallbacks<M>) {
    this.#client = client;
    this.#threadId = threadId;
    this.#callbacks = callbacks;
    this.#transport = new ThreadTransport<M>({
      client,
      threadId,
      loaded: (...loaded) => this.#show(...loaded),
      posted: (message) => this.#forgetAnswers(message),
      failed: (message, thrown) => this.#postSingly(message, thrown),
      isOpen: () => this.#isOpen,
    });
    const { dataPartSchemas, messageMetadataSchema, generateId } = callbacks;
    this.chat = new Chat<M>({
      id: threadId,
      transport: this.#transport,
      ...(dataPartSchemas === undefined ? {} : { dataPartSchemas }),
      ...(messageMetadataSchema === undefined ? {} : { messageMetadataSchema }),
      ...(generateId === undefined ? {} : { generateId }),
      sendAutomaticallyWhen: ({ messages }) => this.#hasAnswer(messages.at(-1)),
      onToolCall: ({ toolCall }) => {
        // A resumed stream contains the whole answer, with its earlier calls.
        if (this.#settled.has(toolCall.toolCallId) || this.#offered.has(toolCall.toolCallId)) return;
        this.#offered.add(toolCall.toolCallId);
        return this.#callbacks.onToolCall?.({ toolCall });
      },
      onData: (part) => {
        if (part.type === "data-user-message") this.#insert(part.data as M);
        this.#callbacks.onData?.(part);
      },
      onError: (error) => this.#callbacks.onError?.(error),
      onFinish: (finish) => {
        this.#callbacks.onFinish?.(finish);
        if (finish.isDisconnect) void this.#reconnect();
        // The chat ends its request after this function.
        if (this.#isStale) queueMicrotask(() => void this.chat.resumeStream());
        this.#isStale = false;
      },
    });
    const { resumeStream } = this.chat;
    // Every load calls this function: that of `useChat` at mount, those of the application, and those of this class.
    this.chat.resumeStream = (...options) => this.#resume(() => resumeStream(...options));
  }

  /** Whether the stored conversation is being loaded and none has been loaded yet. */
  get isLoading(): boolean {
    return this.#state === "loading";
  }

  /** Calls the listener when `isLoading` changes, until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => this.#changes.add(listener);

  /** Replaces the callbacks. */
  use(callbacks: ChatCallbacks<M>): void {
    this.#callbacks = callbacks;
  }

  /** Keeps the chat's connection until the returned function is called. The run continues without the connection. */
  open(): () => void {
    this.#isOpen = true;
    return () => {
      this.#isOpen = false;
      // A message that was posted without a response may not have reached the server yet.
      void this.#transport.posted.then(async () => {
        if (this.#isOpen) return;
        await this.chat.stop();
        this.#load?.resolve();
      });
    };
  }

  /**
   * Sends a message after the stored conversation is loaded, because the load replaces the messages that the chat shows. If the load
   * fails, the message is sent nevertheless. If the chat is closed while a message waits for the load, the message is still posted.
   */
  readonly sendMessage: Chat<M>["sendMessage"] = async (...message) => {
    if (this.#state === "failed" && this.#load === null && this.#isOpen) void this.chat.resumeStream();
    let waited: Deferred<void> | null = null;
    while (this.#load !== waited && this.#load !== null) {
      waited = this.#load;
      await waited.promise;
    }
    await this.#keepIfRefused(() => this.chat.sendMessage(...message), message[0]?.messageId !== undefined);
    if (this.#state === "failed" && this.#isOpen && this.chat.status === "ready") await this.chat.resumeStream();
  };

  readonly regenerate: Chat<M>["regenerate"] = (...options) =>
    this.#keepIfRefused(() => this.chat.regenerate(...options));

  /** Stops the run and shows its partial answer. Rejects if the server could not be reached; the run then continues. */
  readonly stop = async (): Promise<void> => {
    await this.#transport.posted;
    const { status, lastMessage } = this.chat;
    const isStreaming = status === "streaming" && lastMessage?.role === "assistant";
    // The id of an answer begins with that of its run.
    const [runId] = isStreaming ? lastMessage.id.split(".") : [];
    await this.#client.thread(this.#threadId).stop(runId);
    this.#answers.clear();
    await this.chat.stop();
    await this.chat.resumeStream();
  };

  readonly addToolOutput: Chat<M>["addToolOutput"] = (output) =>
    this.#answer(output.toolCallId, () => this.chat.addToolOutput(output));

  readonly addToolApprovalResponse: Chat<M>["addToolApprovalResponse"] = (response) =>
    // The id of an approval is that of its call.
    this.#answer(response.id, () => this.chat.addToolApprovalResponse(response));

  #answer(callId: string, add: () => void | PromiseLike<void>): void | PromiseLike<void> {
    this.#answers.set(callId, add);
    return add();
  }

  #show(messages: M[], isIdle: boolean): void {
    this.chat.messages = messages;
    for (const { toolCallId, state = "" } of messages.flatMap(partsOf)) {
      if (toolCallId === undefined || !state.startsWith("output-")) continue;
      this.#settled.add(toolCallId);
      this.#answers.delete(toolCallId);
    }
    this.#setState("loaded");
    this.#load?.resolve();
    if (isIdle) this.#offerCalls(messages.at(-1));
  }

  /** Inserts a user message that joined the run, unless the loaded conversation has it. */
  #insert(message: M): void {
    const { messages, lastMessage } = this.chat;
    if (messages.some(({ id }) => id === message.id)) return;
    // The first chunk of a stream adds an answer without parts to the chat.
    const isEmpty = lastMessage?.role === "assistant" && lastMessage.parts.length === 0;
    const at = isEmpty ? messages.length - 1 : messages.length;
    this.chat.messages = [...messages.slice(0, at), message, ...messages.slice(at)];
  }

  #setState(state: "loading" | "loaded" | "failed"): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#changes.notify();
  }

  /** Passes the calls that waited for the client before this chat was opened to `onToolCall`. */
  #offerCalls(message: M | undefined): void {
    if (message?.role !== "assistant") return;
    for (const { type = "", state, toolCallId, input, providerExecuted } of partsOf(message)) {
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

  /** Whether a message has an answer that was not posted. The request that follows posts it. */
  #hasAnswer(message: M | undefined): boolean {
    return message?.role === "assistant" && this.#answersIn(message).length > 0;
  }

  /** Removes the answers in a message that the server has received. */
  #forgetAnswers(message: M): void {
    for (const id of this.#answersIn(message)) this.#answers.delete(id);
  }

  #answersIn(message: M): string[] {
    return this.#answeredParts(message).map(({ toolCallId = "" }) => toolCallId);
  }

  #answeredParts(message: M): Part[] {
    return partsOf(message).filter(
      ({ toolCallId = "", state = "" }) =>
        this.#answers.has(toolCallId) && /^output-(available|error)$|^approval-responded$/.test(state),
    );
  }

  /**
   * Posts the answers of a message one by one if the message could not be posted because of its content, or because another client has
   * answered a call. An answer whose content is refused becomes an error result, so that no run waits for an answer that the chat shows.
   */
  async #postSingly(message: M, thrown: unknown): Promise<void> {
    const parts = this.#answeredParts(message);
    const hasNoJson = thrown instanceof TypeError || thrown instanceof RangeError;
    const isConflict = thrown instanceof ThreadholdClientError && thrown.code === "conflict";
    if (parts.length === 0 || !(hasNoJson || isConflict || isContentRefusal(thrown))) return;
    this.#isStale = true;
    for (const part of parts) {
      const { toolCallId = "" } = part;
      try {
        await this.#postPart(toolCallId, part);
      } catch (failure) {
        // The load that follows adds the answer again if it did not reach the server.
        if (isTransient(failure)) continue;
      }
      this.#answers.delete(toolCallId);
    }
  }

  async #postPart(id: string, { state, output, errorText, approval }: Part): Promise<void> {
    const { tools } = this.#client.thread(this.#threadId);
    if (state === "output-available") await answerOrFail(tools, id, output);
    else if (state === "output-error") await tools.fail(id, failureReason(errorText ?? ""));
    else if (approval?.approved === true) await tools.approve(id);
    else await tools.decline(id, approval?.reason ? failureReason(approval.reason) : undefined);
  }

  /** Adds the answers again that a load has removed from the chat. The first one posts the message. */
  #addAnswers(): void {
    for (const { toolCallId = "", state } of this.chat.messages.flatMap(partsOf)) {
      if (state === "input-available" || state === "approval-requested") void this.#answers.get(toolCallId)?.();
    }
  }

  /** Loads the conversation and resumes the answer under way. */
  async #resume(resume: () => Promise<void>): Promise<void> {
    const load = deferred<void>();
    // This load replaces the load in progress. Code that waited for that load finds this one and waits for it.
    this.#load?.resolve();
    this.#load = load;
    if (this.#state === "failed") this.#setState("loading");
    try {
      await resume();
    } finally {
      if (this.#load === load) {
        this.#load = null;
        if (this.#state === "loading") this.#setState("failed");
      }
      load.resolve();
    }
    if (this.#load !== null) return;
    if (this.chat.error instanceof ThreadholdNetworkError) void this.#reconnect();
    else this.#attempts = 0;
    if (this.chat.status === "ready") this.#addAnswers();
  }

  /** Connects again after a delay, unless the chat was closed or cleared, or has sent a further request by then. */
  async #reconnect(): Promise<void> {
    const { error } = this.chat;
    this.#attempts += 1;
    await pause(platformTimers, backOffMs(this.#attempts, backOff, Math.random() + 0.5)).done;
    if (this.#isOpen && error !== undefined && this.chat.error === error) await this.chat.resumeStream();
  }

  /** Sends a request. If it `removes` messages from the chat and the server refuses it, they are restored. */
  async #keepIfRefused(send: () => Promise<void>, removes = true): Promise<void> {
    const before = this.chat.messages;
    await send();
    if (removes && this.chat.error instanceof ThreadholdClientError) this.chat.messages = before;
  }
}

function partsOf({ parts }: UIMessage): readonly Part[] {
  return parts as readonly Part[];
}
