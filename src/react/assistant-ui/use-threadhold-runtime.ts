// A runtime of assistant-ui on a thread, over the events that `useThread` follows. The runtime has only the operations that a thread
// supports. A thread has no branches, so messages cannot be edited or generated again, and assistant-ui hides the buttons for this.

import { useExternalStoreRuntime } from "@assistant-ui/react";
import type { AssistantRuntime, ThreadMessageLike } from "@assistant-ui/react";
import { useMemo } from "react";

import { answerOrFail, failureReason } from "#client/tools/refused-result.ts";

import { useThread } from "../use-thread.ts";
import { newMessage } from "./new-message.ts";
import { ThreadMessages } from "./runtime-messages.ts";
import { ThreadAttachments } from "./thread-attachments.ts";

/** Options of a runtime. */
export interface ThreadholdRuntimeOptions {
  /**
   * Called with the client's error if a message, a stop or a tool result fails. Without it the error is thrown. If the server refuses a
   * tool result because of its content, the call gets an error result with the reason. If an approval fails, the promise of `respondToApproval` rejects instead.
   */
  onError?: ((error: unknown) => void) | undefined;
}

const asItIs = (message: ThreadMessageLike): ThreadMessageLike => message;

/**
 * A runtime of assistant-ui on a thread, for `AssistantRuntimeProvider`: messages as they stream, new messages with files, cancel,
 * tool calls with their approvals and results. While a run waits for an answer to a call, no message can be sent. With null the
 * runtime is empty and disabled, for a page whose thread does not exist yet. Other hooks, such as `useThread`, may be used with it.
 */
export function useThreadholdRuntime(
  threadId: string | null,
  { onError }: ThreadholdRuntimeOptions = {},
): AssistantRuntime {
  const used = useThread(threadId);
  const { thread, messages, tools, runs, activeRunId, pending, connection } = used;
  const conversion = useMemo(() => (threadId === null ? null : { threadId, list: new ThreadMessages() }), [threadId]);
  const shown = useMemo(() => {
    if (conversion === null) return [];
    return conversion.list.convert({ threadId: conversion.threadId, messages, tools, runs, activeRunId, pending });
  }, [conversion, messages, tools, runs, activeRunId, pending]);
  const handle = threadId === null ? null : used.handle;
  const adapters = useMemo(() => (handle === null ? {} : { attachments: new ThreadAttachments(handle) }), [handle]);
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
    } catch (thrown) {
      if (onError === undefined) throw thrown;
      onError(thrown);
    }
  };
  const isRefused = connection.state === "closed" && connection.error !== null;
  const run = activeRunId === null ? undefined : runs[activeRunId];
  // While a call asks a question, its run is executed, not suspended.
  const isWaiting = pending.some(({ kind }) => kind !== "question") || run?.status === "awaiting_tool_execution";
  return useExternalStoreRuntime<ThreadMessageLike>({
    messages: shown,
    convertMessage: asItIs,
    isDisabled: threadId === null,
    isLoading: threadId !== null && thread === null && !isRefused,
    isRunning: activeRunId !== null && !isWaiting,
    isSendDisabled: isWaiting,
    adapters,
    onNew: (message) => attempt(() => used.handle.messages.post(newMessage(used.handle.id, message))),
    onCancel: () => attempt(() => used.stop()),
    onAddToolResult: ({ toolCallId, result, isError }) =>
      attempt(() =>
        isError
          ? used.handle.tools.fail(toolCallId, errorText(result))
          : answerOrFail(used.handle.tools, toolCallId, result),
      ),
    // Not through `onError`: assistant-ui passes the rejection on to the component that sent the decision.
    onRespondToToolApproval: async ({ approvalId, approved, reason }) => {
      await (approved ? used.approve(approvalId) : used.decline(approvalId, reason));
    },
  });
}

/** The text of a failed call, as the server accepts it. */
function errorText(result: unknown): string {
  try {
    return failureReason(typeof result === "string" ? result : JSON.stringify(result ?? ""));
  } catch (thrown) {
    // The value has no JSON form.
    return failureReason(thrown);
  }
}
