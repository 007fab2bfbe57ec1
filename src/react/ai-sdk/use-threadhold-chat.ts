// `useChat` of AI SDK UI on a thread, with the client of the nearest provider.

import { useChat } from "@ai-sdk/react";
import type { UseChatHelpers } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

import { useThreadholdClient } from "../provider.ts";
import { ThreadChat } from "./thread-chat.ts";
import type { ChatCallbacks } from "./thread-chat.ts";
import type { ThreadholdUIMessage } from "./ui-message.ts";

/** The thread, and the callbacks of `useChat`. A different `threadId` starts a new chat. */
export interface ThreadholdChatOptions<M extends UIMessage = ThreadholdUIMessage> extends ChatCallbacks<M> {
  threadId: string;
  /** Milliseconds between two renders of a streaming answer. */
  experimental_throttle?: number;
}

/** What `useChat` returns, and `isLoading`: whether the stored conversation is being loaded. After a failed load `error` is set instead. */
export interface ThreadholdChat<M extends UIMessage = ThreadholdUIMessage> extends Omit<
  UseChatHelpers<M>,
  "addToolResult"
> {
  readonly isLoading: boolean;
}

/**
 * `useChat` on a thread. Loads the conversation and continues the answer under way, at mount and after a lost connection. `stop` stops
 * the run on the server. Answers to calls are posted at once, and calls that wait when the page is loaded reach `onToolCall` as well.
 * An error of the API is a `ThreadholdClientError` with its code. `regenerate`, and `sendMessage` with a `messageId`, make a branch of
 * the thread; the messages before stay stored. `resumeStream` loads the conversation again. React's strict mode mounts each component twice during development, so
 * the conversation is requested twice there.
 */
export function useThreadholdChat<M extends UIMessage = ThreadholdUIMessage>(
  options: ThreadholdChatOptions<M>,
): ThreadholdChat<M> {
  const { threadId, experimental_throttle, ...callbacks } = options;
  const client = useThreadholdClient();
  const latest = useRef(callbacks);
  const session = useMemo(() => new ThreadChat<M>(client, threadId, latest.current), [client, threadId]);
  useEffect(() => {
    latest.current = callbacks;
    session.use(callbacks);
  });
  useEffect(() => session.open(), [session]);
  const throttle = experimental_throttle === undefined ? {} : { experimental_throttle };
  const used = useChat<M>({ chat: session.chat, resume: true, ...throttle });
  const { id, messages, setMessages, status, error, clearError, resumeStream } = used;
  const getIsLoading = (): boolean => session.isLoading;
  const isLoading = useSyncExternalStore(session.subscribe, getIsLoading, getIsLoading);
  const { sendMessage, regenerate, stop, addToolOutput, addToolApprovalResponse } = session;
  return {
    id,
    messages,
    setMessages,
    status,
    error,
    clearError,
    resumeStream,
    sendMessage,
    regenerate,
    stop,
    addToolOutput,
    addToolApprovalResponse,
    isLoading: isLoading && status !== "error",
  };
}
