// Converts a thread's conversation into messages of AI SDK UI: a message of the user, or one message for the consecutive answers of a run,
// with a part for each step, text, thinking block, call and file. Parts and order are the same as in the run's stream (`ui-stream.ts`).

import type { Message } from "#contract/thread-message.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { TranscriptEntry } from "#core/rpc/thread-rpc.ts";

import { providerToolPart } from "./provider-tool-parts.ts";
import type { UiMessage, UiPart } from "./routes.ts";
import { callEnd, fileUrl } from "./tool-parts.ts";
import type { FileOwner, IsServerTool } from "./tool-parts.ts";

/** Facts about the conversation that its messages do not contain. */
interface UiContext extends FileOwner {
  /** The calls that the thread waits for. */
  pending: readonly PendingCall[];
  isServerTool: IsServerTool;
}

/** Collects the entries of a conversation, in order, into messages. */
export class UiMessageList {
  readonly #context: UiContext;
  #open: UiMessage | null = null;
  #openRun: string | null = null;
  /** How many UI messages each run has so far. A user message that joins a run divides its answer into several. */
  readonly #groups = new Map<string, number>();

  constructor(context: UiContext) {
    this.#context = context;
  }

  /** Adds an entry. Returns the messages that are complete with it. */
  add({ message, error }: TranscriptEntry): UiMessage[] {
    if (message === null) {
      this.#open?.parts.push({ type: "data-error", data: { message: error ?? "The run failed." } });
      return [];
    }
    if (message.silent || message.depth > 0 || message.parent_id !== null) return [];
    switch (message.role) {
      case "user":
        return [...this.end(), userMessage(message, this.#context)];
      case "assistant": {
        const ended = this.#begin(message);
        this.#open?.parts.push({ type: "step-start" }, ...this.#answerParts(message));
        if (message.stop_reason === "error" && error !== null) {
          this.#open?.parts.push({ type: "data-error", data: { message: error } });
        }
        return ended;
      }
      case "tool":
        this.#settle(message);
        return [];
      case "system":
      case "extension":
        return [];
    }
  }

  /** Completes the open message and returns it. Returns an empty list if no message is open. */
  end(): UiMessage[] {
    const ended = this.#open === null ? [] : [this.#open];
    for (const { parts } of ended) this.#markAnswered(parts);
    this.#open = null;
    return ended;
  }

  /**
   * Marks tool calls that have no result yet but are answered already: the thread waits for other calls, and stores the results when the
   * run continues. A client does not execute a call with this mark.
   */
  #markAnswered(parts: UiPart[]): void {
    const { pending } = this.#context;
    if (pending.length === 0) return;
    for (const part of parts) {
      if (part["state"] !== "input-available" || pending.some(({ id }) => id === part["toolCallId"])) continue;
      part["providerExecuted"] = true;
    }
  }

  #begin({ id, run_id }: Message): UiMessage[] {
    if (this.#open !== null && run_id === this.#openRun) return [];
    const ended = this.end();
    const earlier = run_id === null ? 0 : (this.#groups.get(run_id) ?? 0);
    if (run_id !== null) this.#groups.set(run_id, earlier + 1);
    this.#openRun = run_id;
    this.#open = { id: run_id === null ? id : uiMessageId(run_id, earlier), role: "assistant", parts: [] };
    return ended;
  }

  #answerParts({ parts }: Message): UiPart[] {
    const { isServerTool } = this.#context;
    const spoken = parts.flatMap((part): UiPart[] => {
      if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text, state: "done" }];
      if (part.type === "thinking") {
        return part.thinking === "" ? [] : [{ type: "reasoning", text: part.thinking, state: "done" }];
      }
      if (part.type === "provider_tool") return [providerToolPart(part)];
      if (part.type !== "tool_call") return [];
      return [
        {
          type: `tool-${part.name}`,
          toolCallId: part.id,
          ...(isServerTool(part.name) ? { providerExecuted: true } : {}),
          input: part.arguments,
          ...this.#openState(part.id),
        },
      ];
    });
    return [...spoken, ...fileParts(parts, this.#context)];
  }

  #openState(id: string): object {
    const call = this.#context.pending.find((one) => one.id === id);
    return call?.kind === "approval" ? { state: "approval-requested", approval: { id } } : { state: "input-available" };
  }

  #settle(message: Message): void {
    const part = this.#open?.parts.findLast(({ toolCallId }) => toolCallId === message.tool_call_id);
    if (part === undefined) return;
    const { approval, result } = message;
    const reason = approval?.reason === undefined ? {} : { reason: approval.reason };
    const decided =
      approval === undefined ? {} : { approval: { id: part["toolCallId"], approved: approval.approved, ...reason } };
    Object.assign(part, callEnd(message), decided);
    for (const { path, mimeType } of result?.attachments ?? []) {
      this.#open?.parts.push({ type: "file", mediaType: mimeType, url: fileUrl(this.#context, path) });
    }
  }
}

/** The id of a UI message of a run: the run's id for the first one, and then `<run id>.2`, `<run id>.3` and so on. */
export function uiMessageId(runId: string, earlier: number): string {
  return earlier === 0 ? runId : `${runId}.${String(earlier + 1)}`;
}

/** A message of the user as a UI message. */
export function userMessage({ id, parts, metadata }: Message, owner: FileOwner): UiMessage {
  const texts = parts.flatMap((part): UiPart[] => (part.type === "text" ? [{ type: "text", text: part.text }] : []));
  const known = Object.keys(metadata).length === 0 ? {} : { metadata };
  return { id, role: "user", parts: [...fileParts(parts, owner), ...texts], ...known };
}

/** The images and files among the parts. */
export function fileParts(parts: Message["parts"], owner: FileOwner): UiPart[] {
  return parts.flatMap((part): UiPart[] => {
    if (part.type !== "image" && part.type !== "file") return [];
    const { path, data, url, mime_type: mediaType } = part;
    const address =
      path !== undefined ? fileUrl(owner, path) : data === undefined ? url : `data:${mediaType};base64,${data}`;
    return address === undefined ? [] : [{ type: "file", mediaType, url: address }];
  });
}
