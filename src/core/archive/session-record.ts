// The sessions of an export: a thread as a session of phi-core, and each of its runs as the record of a loop. `threadhold/loop/sessions` reads
// them. Core does not import that entry, so these types repeat the fields of its stored form; a test reads an export by its decoder.

import type { Json } from "#contract/json.ts";
import type { StopReason } from "#contract/stop-reason.ts";
import { usageSince, zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";

import type { MessageRecord, StoredPart, ThreadRecord } from "../record/record.ts";
import type { RunRecord } from "../record/run-record.ts";
import { describePart, providerToolText } from "../request/describe-part.ts";

/** The version of the stored form of sessions. */
const sessionVersion = 1;

/** A child thread that a call of a run began. */
export interface CalledChild {
  tool_call_id: string;
  tool_name: string;
  thread_id: string;
}

/** The other runs of a thread that a run's record names. */
export interface RunLinks {
  /** The run that this run continues; null if it begins with an input. */
  continues: string | null;
  /** The run that continues this run; null if there is none. */
  continuedBy: string | null;
}

/** Returns the id of the provider of a model, by the model's name. */
export type ProviderOf = (model: string) => string;

/** The fields of a thread's session without its loops. */
export function sessionHead(
  record: Pick<ThreadRecord, "id" | "agent_id" | "origin_agent_id" | "created_at" | "updated_at" | "parent">,
) {
  const { id, agent_id, origin_agent_id, created_at, updated_at, parent } = record;
  return {
    version: sessionVersion,
    session_id: id,
    agent_id,
    created_at: timeText(created_at),
    last_active_at: timeText(updated_at),
    formation: { FirstLoop: { timestamp: timeText(created_at) } },
    parent_spawn_ref:
      parent === null
        ? null
        : {
            parent_session_id: parent.thread_id,
            parent_loop_id: parent.run_id,
            tool_call_id: parent.tool_call_id,
            // The tool that calls an agent has the agent's name.
            tool_name: origin_agent_id,
          },
  };
}

/** The fields of a loop's record that its run contains. */
export function loopHead(run: RunRecord, threadId: string, { continues, continuedBy }: RunLinks) {
  const { id, agent_id, kind, status, branch, parent_run_id, created_at, started_at, ended_at } = run;
  return {
    loop_id: id,
    session_id: threadId,
    agent_id,
    // The run of a child thread has the run that called it as its parent, which is a loop of another session.
    parent_loop_id: continues ?? parent_run_id,
    continuation_kind: continues === null ? null : "Default",
    started_at: timeText(started_at ?? created_at),
    ended_at: ended_at === null ? null : timeText(ended_at),
    status: loopStatuses[status],
    // The input filters of a thread refuse a message before its run is stored.
    rejection: null,
    metadata: { status, kind, branch, steps: run.steps, cost: run.cost, reason: run.reason, error: run.error as Json },
    // Rows have the events of a thread in another form.
    events: [],
    children_loop_ids: continuedBy === null ? [] : [continuedBy],
    parallel_group: null,
  };
}

/** The record of the messages of a thread without runs, such as those that it was created with. Its id is that of the thread. */
export function messagesHead({
  id,
  agent_id,
  created_at,
  updated_at,
  parent,
}: Pick<ThreadRecord, "id" | "agent_id" | "created_at" | "updated_at" | "parent">) {
  return {
    loop_id: id,
    session_id: id,
    agent_id,
    parent_loop_id: parent?.run_id ?? null,
    continuation_kind: null,
    started_at: timeText(created_at),
    ended_at: timeText(updated_at),
    status: "Completed",
    rejection: null,
    metadata: null,
    events: [],
    children_loop_ids: [],
    parallel_group: null,
  };
}

/**
 * The state of a loop by the status of its run. A loop of phi-core that fails or reaches a limit is completed: its last answer has the error,
 * and `metadata` has the run's status.
 */
const loopStatuses = {
  queued: "Pending",
  running: "Running",
  awaiting_tool_execution: "Running",
  completed: "Completed",
  limit: "Completed",
  error: "Completed",
  stopped: "Aborted",
} as const satisfies Record<RunRecord["status"], string>;

/**
 * Collects what the fields at the end of a loop's record need, while the run's messages are written: the model, the calls of child threads,
 * and the tokens of the children.
 */
export class LoopTail {
  readonly children: CalledChild[] = [];
  #answer: { model: string; stop_reason: StopReason | null } | null = null;
  #firstModel: string | null = null;
  #ofChildren: Usage[] = [];

  /** Adds a message of the run, at any depth. */
  add(message: MessageRecord): void {
    const { role, depth, model, stop_reason, child, awaits, tool_call_id, name, usage } = message;
    if (role === "assistant" && depth === 0) {
      this.#firstModel ??= model;
      this.#answer = { model: model ?? "", stop_reason };
    }
    const thread_id = child ?? (awaits?.kind === "child" ? awaits.thread_id : undefined);
    if (thread_id === undefined) return;
    this.children.push({ tool_call_id: tool_call_id ?? "", tool_name: name ?? "", thread_id });
    if (child !== undefined && usage !== null) this.#ofChildren.push(usage);
  }

  /** The answer of a run that failed without one: phi-core's loops end with an answer that has the error. Null if there is no error to add. */
  failedAnswer({ status, error, ended_at }: RunRecord, providerOf: ProviderOf) {
    if (status !== "error" || this.#answer?.stop_reason === "error") return null;
    const model = this.#answer?.model ?? "";
    return {
      role: "assistant",
      content: [],
      stop_reason: "error",
      model,
      provider: providerOf(model),
      usage: zeroUsage,
      timestamp: milliseconds(ended_at ?? 0),
      error_message: error?.message ?? null,
    };
  }

  /** The last fields of the record. The tokens of child threads are in the children's own sessions, so they are subtracted here. */
  fields({ usage }: Pick<RunRecord, "usage">, providerOf: ProviderOf) {
    const model = this.#firstModel;
    return {
      usage: this.#ofChildren.reduce(withoutUsage, usage),
      config: model === null ? null : { model, provider: providerOf(model), config_id: null },
    };
  }
}

function withoutUsage(usage: Usage, part: Usage): Usage {
  const rest = usageSince(part, usage);
  // The total of an active run may be older than the row of its last call.
  return Object.fromEntries(Object.entries(rest).map(([name, tokens]) => [name, Math.max(0, tokens)])) as Usage;
}

/**
 * The message of a loop; null for a message that no loop shows: one of a nested loop, or a call without a result. Data of providers stays
 * with its block, so that a loop can continue the conversation.
 */
export function loopMessage(message: MessageRecord, providerOf: ProviderOf) {
  const { role, parts, depth, created_at, name, metadata } = message;
  if (depth > 0) return null;
  const base = { content: parts.map(blockOf), timestamp: milliseconds(created_at) };
  switch (role) {
    case "user":
      return { role, ...base };
    case "assistant":
      return { role, ...base, ...answerFields(message, providerOf) };
    case "tool":
      return resultMessage(message);
    case "system":
      // phi-core has no message of the system: its prompt is an option of the loop.
      return { role: "extension", kind: "system", data: { content: base.content, metadata } };
    case "extension":
      return { role, kind: name ?? "", data: { content: base.content, metadata } };
  }
}

function answerFields({ model, usage, stop_reason, failure, stop_detail }: MessageRecord, providerOf: ProviderOf) {
  const name = model ?? "";
  const reason = stop_reason === null ? "stop" : stopReasons[stop_reason];
  return {
    stop_reason: reason,
    model: name,
    provider: providerOf(name),
    usage: usage ?? zeroUsage,
    ...(reason === "error"
      ? { error_message: failure?.message ?? stop_detail ?? "The provider stopped the answer." }
      : {}),
  };
}

/** phi-core has no reason for a refusal of the provider: it is an error. */
const stopReasons = {
  stop: "stop",
  length: "length",
  tool_calls: "toolUse",
  content_filter: "error",
  aborted: "aborted",
  error: "error",
} as const satisfies Record<StopReason, string>;

function resultMessage({ result, parts, name, tool_call_id, updated_at }: MessageRecord) {
  if (result === null) return null;
  const text = (result.status === "error" ? result.error : result.result) ?? "";
  const files = (result.attachments ?? []).map(({ type, path, name: file, mimeType: mime_type, size }) =>
    textBlock(describePart({ type, path, name: file, mime_type, size })),
  );
  return {
    role: "toolResult",
    tool_call_id: tool_call_id ?? "",
    tool_name: name ?? "",
    content: [textBlock(text), ...parts.filter(({ type }) => type !== "text").map(blockOf), ...files],
    is_error: result.status === "error",
    timestamp: milliseconds(updated_at),
  };
}

/** The block of a part. A block of phi-core contains the bytes of an image, which are not in the rows, so a text describes files. */
function blockOf(part: StoredPart) {
  const extra = part.provider_data === undefined ? {} : { provider_data: part.provider_data };
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...extra };
    case "thinking":
      return { type: "thinking", thinking: part.thinking, ...extra };
    case "tool_call":
      return { type: "toolCall", id: part.id, name: part.name, arguments: part.arguments, ...extra };
    case "provider_tool":
      return textBlock(providerToolText(part));
    case "image":
    case "file":
      return textBlock(describePart(part));
  }
}

function textBlock(text: string) {
  return { type: "text", text };
}

/** Rows have microseconds, phi-core has milliseconds. */
function milliseconds(micros: number): number {
  return Math.floor(micros / 1000);
}

function timeText(micros: number): string {
  return new Date(milliseconds(micros)).toISOString();
}
