// Converts a thread's messages to messages of assistant-ui. A user's message becomes one message. The successive answers of a run and a
// side become one message, which contains the results of its tool calls in their call parts. A message whose sources did not change stays
// the same object, so assistant-ui converts it once.

import { ExportedMessageRepository } from "@assistant-ui/react";
import type { MessageStatus, ThreadMessage, ThreadMessageLike } from "@assistant-ui/react";

import type { Json, JsonObject, MessageView, OpenCall, RunView, ToolView } from "#client/index.ts";
import { ownResultValue } from "#lib/untrusted/own-json.ts";

import type { Siblings } from "../thread-source.ts";
import { attachmentOf, fileAddress, filePart } from "./file-part.ts";

/** The parts of a thread's state that determine its messages. */
export interface ThreadContent {
  threadId: string;
  messages: readonly MessageView[];
  tools: Readonly<Record<string, ToolView>>;
  runs: Readonly<Record<string, RunView>>;
  activeRunId: string | null;
  pending: readonly OpenCall[];
  /** The branches that part before a message. */
  siblings: (messageId: string | undefined) => Siblings | null;
}

/** The messages of assistant-ui, each with the one before it: also one in place of each other branch, for the branch picker. */
export interface ThreadRepository {
  headId?: string | null;
  messages: { message: ThreadMessage; parentId: string | null }[];
}

type Part = Exclude<ThreadMessageLike["content"], string>[number];

/** The messages that are converted to one message, in order. */
interface Group {
  id: string;
  role: "user" | "assistant";
  side: "a" | "b" | null;
  runId: string | null;
  messages: MessageView[];
}

interface Conversion {
  sources: readonly unknown[];
  message: ThreadMessage;
}

const complete: MessageStatus = { type: "complete", reason: "stop" };

/** The key of the metadata that a message in place of another branch has: the id of the branch. */
export const branchKey = "otherBranch";

/** Converts successive states of one thread. Messages whose sources did not change stay the same objects. */
export class ThreadMessages {
  #converted = new Map<string, Conversion>();

  /** Converts the messages of a state. */
  convert(content: ThreadContent): ThreadRepository {
    const converted = new Map<string, Conversion>();
    const groups = groupsOf(content);
    for (const [index, group] of groups.entries()) {
      const isLast = index === groups.length - 1 || groups.slice(index + 1).every(({ runId }) => runId !== group.runId);
      const sources = sourcesOf(group, isLast, content);
      const known = this.#converted.get(group.id);
      const isSame =
        known?.sources.length === sources.length && known.sources.every((source, at) => source === sources[at]);
      const message = isSame ? known.message : toMessage(messageOf(group, isLast, content));
      if (message !== undefined) converted.set(group.id, { sources, message });
    }
    this.#converted = converted;
    let headId: string | null = null;
    const messages = groups.flatMap(({ id, role, messages: [first] }) => {
      const { branches = [id], index = 0 } = content.siblings(first?.id) ?? {};
      const parentId = headId;
      headId = id;
      return branches.flatMap((branch, at) => {
        const message = at === index ? converted.get(id)?.message : otherBranch(role, branch, index);
        return message === undefined ? [] : { message, parentId };
      });
    });
    return { headId, messages };
  }
}

/**
 * The message in place of another branch. Its id differs for each shown branch: assistant-ui keeps the order of the messages that it knows, and
 * the picker shows that order.
 */
function otherBranch(role: Group["role"], branch: string, shown: number): ThreadMessage | undefined {
  return toMessage({ id: branch + String(shown), role, content: [], metadata: { custom: { [branchKey]: branch } } });
}

/** A message of assistant-ui. Each message is converted alone, so that unchanged ones stay the same objects. */
function toMessage(message: ThreadMessageLike): ThreadMessage | undefined {
  return ExportedMessageRepository.fromBranchableArray([{ message, parentId: null }]).messages[0]?.message;
}

function groupsOf({ messages, runs }: ThreadContent): Group[] {
  const groups: Group[] = [];
  const answersOf = new Map<string, number>();
  // The key is the run's id and not that of its first message, so it does not change when that message is retracted.
  const answerId = (key: string): string => {
    const earlier = answersOf.get(key) ?? 0;
    answersOf.set(key, earlier + 1);
    return earlier === 0 ? key : `${key}:${String(earlier)}`;
  };
  for (const message of messages) {
    const { id, role, run_id: runId, side, silent, depth, parent_id: parentId } = message;
    if (silent || depth > 0 || parentId !== null) continue;
    const last = groups.at(-1);
    if (role === "user" && !isAnswer(message)) groups.push({ id, role, side, runId, messages: [message] });
    else if (role === "tool") groups.findLast((group) => makesCall(group, message))?.messages.push(message);
    else if (role === "assistant" || role === "user") {
      if (last?.role === "assistant" && last.runId === runId && last.side === side) last.messages.push(message);
      else groups.push({ id: answerId(runId ?? id), role: "assistant", side, runId, messages: [message] });
    }
  }
  // A run may fail before it answers its last user message. Then an empty answer is added, in which assistant-ui shows the error.
  return groups.flatMap((group, index) => {
    const { runId } = group;
    const isUnanswered = runId !== null && groups.slice(index + 1).every((other) => other.runId !== runId);
    if (group.role !== "user" || !isUnanswered || runs[runId]?.status !== "error") return [group];
    return [group, { id: answerId(runId), role: "assistant", side: null, runId, messages: [] }];
  });
}

/** Whether side B, the second model of a conversation of two models, wrote the message. */
function isAnswer({ side, model, streaming }: MessageView): boolean {
  return side === "b" && (streaming || model !== null);
}

function makesCall({ messages }: Group, { tool_call_id: id }: MessageView): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.type === "tool_call" && part.id === id));
}

/** All values that determine the converted message. */
function sourcesOf(group: Group, isLast: boolean, { tools, runs, activeRunId, pending }: ThreadContent): unknown[] {
  const calls = callsOf(group).flatMap(({ id }) => [tools[id], pending.find((call) => call.id === id)]);
  const run = group.runId === null ? undefined : runs[group.runId];
  const isActive = isLast && group.runId !== null && group.runId === activeRunId;
  return [...group.messages, ...calls, isLast, isActive, run?.status, run?.error, isActive ? pending : null];
}

function callsOf({ messages }: Group) {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool_call"));
}

function messageOf(group: Group, isLast: boolean, content: ThreadContent): ThreadMessageLike {
  const [first] = group.messages;
  const { threadId } = content;
  const messageId = group.messages.findLast(({ role }) => role !== "tool")?.id;
  const metadata = { custom: { ...first?.metadata, runId: group.runId, side: group.side, messageId } };
  const createdAt = first === undefined ? {} : { createdAt: new Date(first.created_at / 1000) };
  const common = { id: group.id, metadata, ...createdAt };
  if (group.role === "user") {
    const parts = first?.parts ?? [];
    const texts = parts.flatMap((part) => (part.type === "text" ? [{ type: "text" as const, text: part.text }] : []));
    const attachments = parts.flatMap((part) =>
      part.type === "image" || part.type === "file" ? attachmentOf(threadId, part) : [],
    );
    return { ...common, role: "user", content: texts, attachments };
  }
  const status = statusOf(group, isLast, content);
  return { ...common, role: "assistant", content: contentOf(group, isLast, content), status };
}

function contentOf(group: Group, isLast: boolean, content: ThreadContent): Part[] {
  const results = new Map(group.messages.map((message) => [message.tool_call_id, message] as const));
  const parts = group.messages
    .filter(({ role }) => role !== "tool")
    .flatMap(({ parts: own }) => own.flatMap((part) => partsOf(part, results, content)));
  if (!isLast || group.runId !== content.activeRunId) return parts;
  const calls = new Set(callsOf(group).map(({ id }) => id));
  // A call of a child thread or of a nested loop, and a limit, have no part of their own.
  const others = content.pending.filter(({ id }) => !calls.has(id));
  return [...parts, ...others.map((data): Part => ({ type: "data", name: "pending-call", data }))];
}

function partsOf(
  part: MessageView["parts"][number],
  results: ReadonlyMap<string | null, MessageView>,
  content: ThreadContent,
): Part[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "thinking":
      return part.thinking === "" ? [] : [{ type: "reasoning", text: part.thinking }];
    case "tool_call": {
      const result = results.get(part.id);
      return [callPart(part, result, content), ...resultFiles(result, content.threadId)];
    }
    case "provider_tool": {
      const { id: toolCallId, name: toolName, input, output: result, is_error: isError } = part;
      const end = result === undefined ? {} : { result, ...(isError && { isError }) };
      return [{ type: "tool-call", toolCallId, toolName, argsText: JSON.stringify(input), ...end }];
    }
    case "image":
    case "file": {
      const file = filePart(content.threadId, part);
      return file === null ? [] : [file];
    }
  }
}

type CallPart = Extract<MessageView["parts"][number], { type: "tool_call" }>;

function callPart(
  { id, name, arguments: input }: CallPart,
  message: MessageView | undefined,
  content: ThreadContent,
): Part {
  const args = typeof input === "string" ? { argsText: input } : { args: input as JsonObject };
  const call = { type: "tool-call" as const, toolCallId: id, toolName: name, ...args };
  const open = content.pending.find((one) => one.id === id);
  const tool = content.tools[id];
  if (message?.status !== "complete") {
    const hasOutput = tool !== undefined && (tool.output !== "" || tool.progress !== null);
    const artifact = hasOutput ? { artifact: { output: tool.output, progress: tool.progress } } : {};
    return { ...call, ...artifact, ...(open?.kind === "approval" ? { approval: { id } } : {}) };
  }
  const { approval: decision, result, content: text } = message;
  const reason = decision?.reason === undefined ? {} : { reason: decision.reason };
  const approval = decision === undefined ? {} : { approval: { id, approved: decision.approved, ...reason } };
  const isError = result?.status === "error";
  const value = isError ? (result.error ?? text ?? "") : (ownResultValue(result?.result ?? text ?? "") as Json);
  return { ...call, ...approval, result: value, isError };
}

function resultFiles(message: MessageView | undefined, threadId: string): Part[] {
  return (message?.result?.attachments ?? []).map(({ path, name, mimeType }): Part => {
    const address = fileAddress(threadId, path);
    if (mimeType.startsWith("image/")) return { type: "image", image: address, filename: name };
    return { type: "file", data: address, mimeType, filename: name, sourceType: "url" };
  });
}

function statusOf(group: Group, isLast: boolean, { runs, activeRunId, pending }: ThreadContent): MessageStatus {
  const run = group.runId === null ? undefined : runs[group.runId];
  if (isLast && group.runId !== null && group.runId === activeRunId) {
    if (pending.length > 0) return { type: "requires-action", reason: "tool-calls" };
    return { type: "running" };
  }
  if (isLast && run?.status === "error") {
    return { type: "incomplete", reason: "error", error: run.error?.message ?? run.reason ?? "The run failed." };
  }
  const reason = group.messages.findLast(({ role }) => role !== "tool")?.stop_reason ?? null;
  const early = reason === null ? null : earlyEnds[reason];
  return early === null ? complete : { type: "incomplete", reason: early };
}

/** The reasons of assistant-ui for answers that ended early; null for complete ones. */
const earlyEnds = {
  aborted: "cancelled",
  error: "error",
  length: "length",
  content_filter: "content-filter",
  stop: null,
  tool_calls: null,
} as const satisfies Record<NonNullable<MessageView["stop_reason"]>, string | null>;
