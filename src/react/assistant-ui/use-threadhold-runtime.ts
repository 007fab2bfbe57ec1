// A runtime of assistant-ui on a thread, over the events that `useThread` follows. The runtime has only the operations that a thread
// supports. To reload an answer and to edit a message make a branch of the thread; the branch picker changes between branches.

import { useExternalStoreRuntime } from "@assistant-ui/react";
import type { AssistantRuntime, ThreadMessage } from "@assistant-ui/react";
import { useMemo } from "react";

import type { NewMessage } from "#client/index.ts";
import { answerOrFail, failureReason } from "#client/tools/refused-result.ts";

import { useThread } from "../use-thread.ts";
import { newMessage } from "./new-message.ts";
import { branchKey, ThreadMessages } from "./runtime-messages.ts";
import { ThreadAttachments } from "./thread-attachments.ts";

/** Options of a runtime. */
export interface ThreadholdRuntimeOptions {
  /**
   * Called with the client's error if a message, a stop or a tool result fails. Without it the error is thrown. If the server refuses a
   * tool result because of its content, the call gets an error result with the reason. If an approval fails, the promise of `respondToApproval` rejects instead.
   */
  onError?: ((error: unknown) => void) | undefined;
}

type Edited = Partial<Pick<NewMessage, "content" | "attachments" | "metadata">>;

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
  const { thread, runs, activeRunId, pending, connection, branches } = used;
  const conversion = useMemo(() => (threadId === null ? null : { threadId, list: new ThreadMessages() }), [threadId]);
  const shown = useMemo(() => {
    if (conversion === null) return { messages: [] };
    const { messages, tools } = used;
    const siblings = (id?: string) => used.siblings(id);
    const { threadId: of, list } = conversion;
    return list.convert({ threadId: of, messages, tools, runs, activeRunId, pending, siblings });
    // `used` is a new object whenever one of the fields that were read changes.
  }, [conversion, used, runs, activeRunId, pending]);
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
  const branch = (
    kind: "rerun" | "branch",
    from: string | undefined,
    { content, attachments, metadata }: Edited = {},
  ) => attempt(() => used.handle.runs.post({ kind, from, content, attachments, metadata, when: "interrupt" }));
  const isRefused = connection.state === "closed" && connection.error !== null;
  const run = activeRunId === null ? undefined : runs[activeRunId];
  // While a call asks a question, its run is executed, not suspended.
  const isWaiting = pending.some(({ kind }) => kind !== "question") || run?.status === "awaiting_tool_execution";
  /** The last stored message of a shown one. An answer that failed before its first message has none. */
  const stored = (id: string | null) =>
    shown.messages.find(({ message }) => message.id === id)?.message.metadata.custom["messageId"] as string | undefined;
  return useExternalStoreRuntime<ThreadMessage>({
    messageRepository: shown,
    // Without other branches there is nothing to change to. assistant-ui also uses this function to remove messages, which it does not do here.
    ...(branches.length > 1 && {
      setMessages: (list) => {
        const branch_id = list.at(-1)?.metadata.custom[branchKey];
        if (typeof branch_id === "string") void attempt(() => used.handle.branches.checkout({ branch_id }));
      },
    }),
    onReload: (parentId, { sourceId }) => branch("rerun", stored(sourceId) ?? stored(parentId)),
    onEdit: (message) =>
      branch("branch", stored(message.sourceId) ?? stored(message.parentId), newMessage(used.handle.id, message)),
    onDelete: (id) => attempt(() => used.handle.messages.delete(stored(id) ?? "")),
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
