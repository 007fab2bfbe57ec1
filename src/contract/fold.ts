// The pure reducer that folds events into the view of a thread that a client shows. The server does not use the reducer for snapshots;
// tests compare its result with the stored messages. Folding an event twice changes nothing; folding a snapshot replaces everything.

import type { ToolResult } from "./call-result.ts";
import type { Part } from "./content.ts";
import type { EventOf, PlainEvent, PlanStep, ThreadEvent } from "./event.ts";
import type { Json } from "./json.ts";
import type { RunError, RunStatus } from "./run.ts";
import type { Message } from "./thread-message.ts";
import type { Thread } from "./thread.ts";
import { zeroUsage } from "./usage.ts";
import type { Usage } from "./usage.ts";

/** A message as a subscriber sees it; `streaming` is true while the message grows. */
export type MessageView = Message & { streaming: boolean };

/** A tool call that has started, with its output so far. */
export interface ToolView {
  tool_call_id: string;
  tool_name: string;
  message_id: string | null;
  args: Json;
  output: string;
  progress: Json;
  result: ToolResult | null;
  running: boolean;
  /** The child thread in which another agent answers the call; null for any other call. */
  child_thread_id: string | null;
}

/** A run as far as its events describe it. */
export interface RunView {
  id: string;
  status: RunStatus;
  /**
   * Model steps so far. Like `usage` and `cost` this is the number after the last completed step; it is final when the
   * run has ended.
   */
  steps: number;
  usage: Usage;
  cost: number | null;
  reason: string | null;
  error: RunError | null;
  /** The texts of the run's `reasoning` events, in order. Absent if there are none. */
  reasoning?: readonly string[];
  /** The current plan. Absent if the run's strategy has made none. */
  plan?: readonly PlanStep[];
  /** The data of a structured answer. Absent without one. */
  data?: Json;
}

/** A subscriber's view of a thread. Messages are sorted by `position`. */
export interface ThreadView {
  readonly last_seq: number;
  /** `status` and `active_run_id` follow the events of runs. Every other field is as in the last snapshot or `thread_updated`. */
  readonly thread: Thread | null;
  readonly messages: readonly MessageView[];
  readonly tools: Readonly<Record<string, ToolView>>;
  readonly runs: Readonly<Record<string, RunView>>;
  readonly active_run_id: string | null;
}

/** The view before any event. */
export const emptyView: ThreadView = Object.freeze({
  last_seq: 0,
  thread: null,
  messages: [],
  tools: {},
  runs: {},
  active_run_id: null,
});

/** Folds one event into a view. A snapshot replaces the view. If any other event is not newer than the view, returns the same object. */
export function fold(view: ThreadView, event: ThreadEvent): ThreadView {
  if (event.type === "snapshot") return foldSnapshot(event);
  if (event.seq <= view.last_seq) return view;
  return { ...apply(atWork(view, event), event), last_seq: event.seq };
}

/** Marks a waiting run as running again, because any further event of the run shows that it was resumed. */
function atWork(view: ThreadView, { run_id, type }: PlainEvent): ThreadView {
  // An event of a child thread does not show that the parent was resumed: the parent may wait for another call.
  if (type === "subagent_event") return view;
  const run = view.runs[run_id ?? ""];
  return run?.status === "awaiting_tool_execution" ? putRun(view, { ...run, status: "running" }) : view;
}

/** Folds several events into a view, in order. */
export function foldAll(events: Iterable<ThreadEvent>, from: ThreadView = emptyView): ThreadView {
  let view = from;
  for (const event of events) view = fold(view, event);
  return view;
}

function foldSnapshot(event: EventOf<"snapshot">): ThreadView {
  const base: ThreadView = {
    ...emptyView,
    thread: event.thread,
    active_run_id: event.thread.active_run_id,
    messages: shownMessages(event),
  };
  let view = base;
  for (const part of event.partial) view = apply(view, part);
  return { ...withRecordedStatus(view, event.thread), last_seq: event.seq };
}

function shownMessages({ messages }: { messages: readonly Message[] }): MessageView[] {
  return messages.map((message) => ({ ...message, streaming: false }));
}

/**
 * The view with the active run's status taken from the thread's record. After an eviction the snapshot's events are rebuilt from
 * rows and may lack the event that changed the status, so the record decides.
 */
function withRecordedStatus(view: ThreadView, { active_run_id: id, status }: Thread): ThreadView {
  const run = view.runs[id ?? ""];
  return run && isAtWork(status) ? putRun(view, { ...run, status }) : view;
}

/** The view with a run. The thread has the status of the active run, otherwise that of the run which ended last. */
function putRun(view: ThreadView, run: RunView): ThreadView {
  const { id, status } = run;
  const known = view.active_run_id;
  const isOpen = isAtWork(status);
  const active_run_id = isOpen ? id : known === id ? null : known;
  return {
    ...view,
    // A queued run that ends before it starts changes nothing while another run is active.
    thread:
      view.thread && (active_run_id ?? id) === id
        ? { ...view.thread, active_run_id, status: isOpen || status === "error" ? status : "idle" }
        : view.thread,
    runs: { ...view.runs, [id]: run },
    active_run_id,
  };
}

function isAtWork(status: string): status is "running" | "awaiting_tool_execution" {
  return status === "running" || status === "awaiting_tool_execution";
}

/**
 * The types of events that change nothing in a view. The list is a type, so that the compiler checks it and it adds nothing to the size of
 * the client.
 */
type UnshownType =
  | "input_rejected"
  | "step_start"
  | "turn_end"
  | "agent_handoff"
  | "subagent_event"
  | "subagent_end"
  | "model_retry"
  | "model_fallback"
  | "compaction_start"
  | "compaction_end"
  | "queue_changed"
  | "questions_changed"
  | "authorization_required"
  | "file_changed"
  | "custom"
  | "error";

function apply(view: ThreadView, event: PlainEvent): ThreadView {
  switch (event.type) {
    case "run_start":
    case "run_end":
    case "awaiting_tool_execution":
    case "step_end":
    case "reasoning":
    case "plan":
      return applyRun(view, event);
    case "message_start":
      return putMessage(view, startedMessage(event));
    case "message_end":
    case "message_updated":
      return putMessage(view, { ...event.message, streaming: false });
    case "message_deleted":
      return dropMessage(view, event.message.id);
    case "message_retracted":
      return event.message_id === undefined ? dropUnfinished(view, event.run_id) : dropMessage(view, event.message_id);
    case "tool_execution_start":
    case "tool_execution_delta":
    case "tool_execution_end":
      return applyTool(view, event);
    case "subagent_start":
      return applyChild(view, event);
    case "thread_updated":
      return { ...view, thread: event.thread };
    case "branch_changed": {
      const shared = view.messages.filter(({ position }) => position <= event.after);
      return { ...view, thread: event.thread, messages: [...shared, ...shownMessages(event)] };
    }
    default:
      // The events of blocks. Their types are not listed, which makes the client smaller.
      if ("index" in event) return applyBlock(view, event);
      // Also an event type of a newer server, which this client does not know.
      event.type satisfies UnshownType;
      return view;
  }
}

function applyRun(
  view: ThreadView,
  event: EventOf<"run_start" | "run_end" | "awaiting_tool_execution" | "step_end" | "reasoning" | "plan">,
): ThreadView {
  const id = event.run_id;
  if (id === undefined) return view;
  const known = view.runs[id] ?? {
    id,
    status: "running",
    steps: 0,
    usage: zeroUsage,
    cost: 0,
    reason: null,
    error: null,
  };
  switch (event.type) {
    case "run_start":
      return putRun(view, { ...known, status: "running" });
    case "awaiting_tool_execution":
      // The list is empty if all open calls belonged to a child thread and were answered there.
      return putRun(view, {
        ...known,
        ...event.totals,
        status: event.tool_calls.length === 0 ? "running" : event.type,
      });
    case "step_end":
      return putRun(view, { ...known, ...event.totals });
    case "reasoning":
      return putRun(view, { ...known, reasoning: [...(known.reasoning ?? []), event.text] });
    case "plan":
      return putRun(view, { ...known, plan: event.steps });
    case "run_end": {
      const { status, usage, cost, reason, error, data } = event;
      return putRun(view, { ...known, status, usage, cost, reason, error, ...(data !== undefined && { data }) });
    }
  }
}

function startedMessage(event: EventOf<"message_start">): MessageView {
  return {
    id: event.message_id ?? "",
    role: event.role,
    content: null,
    name: null,
    tool_calls: null,
    tool_call_id: null,
    created_at: event.at,
    parent_id: event.parent_id ?? null,
    depth: event.depth ?? 0,
    silent: event.silent ?? false,
    metadata: {},
    parts: [],
    position: event.position,
    branch_id: "",
    run_id: event.run_id ?? null,
    side: event.side ?? null,
    status: "started",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    attachments: [],
    streaming: true,
  };
}

/** Inserts a message at its position, usually the end of the list. It replaces a message with the same id. */
function putMessage(view: ThreadView, message: MessageView): ThreadView {
  const messages = view.messages.filter((known) => known.id !== message.id);
  let at = messages.length;
  while (at > 0 && (messages[at - 1]?.position ?? "") > message.position) at -= 1;
  messages.splice(at, 0, message);
  return { ...view, messages };
}

function dropMessage(view: ThreadView, id: string): ThreadView {
  const tools = Object.fromEntries(Object.entries(view.tools).filter(([, tool]) => tool.message_id !== id));
  return { ...view, tools, messages: view.messages.filter((message) => message.id !== id) };
}

/**
 * Removes all messages of a run that have not ended. After a crash no event names the message that was being streamed.
 */
function dropUnfinished(view: ThreadView, runId: string | undefined): ThreadView {
  return {
    ...view,
    messages: view.messages.filter((message) => !message.streaming || message.run_id !== runId),
  };
}

type BlockEvent = Extract<PlainEvent, { index: number }>;

function applyBlock(view: ThreadView, event: BlockEvent): ThreadView {
  const message = view.messages.find(({ id }) => id === event.message_id);
  if (message === undefined) return view;
  const part = nextPart(message.parts[event.index], event);
  // An event type of a newer server.
  if (!part) return view;
  const parts = [...message.parts];
  // If the start of an earlier block was missed, an empty part has the index of that block until `message_end` replaces all parts.
  while (parts.length < event.index) parts.push({ type: "text", text: "" });
  parts[event.index] = part;
  return { ...view, messages: view.messages.map((known) => (known === message ? withParts(known, parts) : known)) };
}

function nextPart(part: Part | undefined, event: BlockEvent): Part | undefined {
  switch (event.type) {
    case "text_start":
      return { type: "text", text: "" };
    case "text_delta":
      return { type: "text", text: spliced(part?.type === "text" ? part.text : "", event) };
    case "text_end":
      return { type: "text", text: event.text };
    case "thinking_start":
      return { type: "thinking", thinking: "" };
    case "thinking_delta":
      return {
        type: "thinking",
        thinking: spliced(part?.type === "thinking" ? part.thinking : "", event),
      };
    case "thinking_end":
      return { type: "thinking", thinking: event.thinking };
    case "toolcall_start":
      return { type: "tool_call", ...event.tool_call, arguments: "" };
    case "toolcall_delta": {
      const known = part?.type === "tool_call" ? part : { id: "", name: "", arguments: "" };
      const before = typeof known.arguments === "string" ? known.arguments : "";
      return { ...known, type: "tool_call", arguments: spliced(before, event) };
    }
    case "toolcall_end":
      return { type: "tool_call", ...event.tool_call };
    default:
      return event.part;
  }
}

function spliced(before: string, event: { offset: number; delta: string }): string {
  return before.slice(0, event.offset) + event.delta;
}

/** The message with new parts, and with `content` derived from them. */
function withParts(message: MessageView, parts: Part[]): MessageView {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { ...message, parts, content: text || null };
}

function applyTool(
  view: ThreadView,
  event: EventOf<"tool_execution_start" | "tool_execution_delta" | "tool_execution_end">,
): ThreadView {
  const known: ToolView = view.tools[event.tool_call_id] ?? {
    tool_call_id: event.tool_call_id,
    tool_name: event.tool_name,
    message_id: event.message_id ?? null,
    args: null,
    output: "",
    progress: null,
    result: null,
    running: true,
    child_thread_id: null,
  };
  return { ...view, tools: { ...view.tools, [event.tool_call_id]: nextTool(known, event) } };
}

function applyChild(view: ThreadView, event: EventOf<"subagent_start">): ThreadView {
  const known = view.tools[event.parent_tool_call_id];
  if (known === undefined || event.child_thread_id === undefined) return view;
  const tool = { ...known, child_thread_id: event.child_thread_id };
  return { ...view, tools: { ...view.tools, [event.parent_tool_call_id]: tool } };
}

function nextTool(
  known: ToolView,
  event: EventOf<"tool_execution_start" | "tool_execution_delta" | "tool_execution_end">,
): ToolView {
  switch (event.type) {
    case "tool_execution_start":
      return { ...known, args: event.args, running: true };
    case "tool_execution_delta":
      return {
        ...known,
        output:
          // Progress alone has no delta.
          spliced(known.output, { offset: event.offset ?? known.output.length, delta: event.delta ?? "" }),
        progress: event.progress ?? known.progress,
      };
    case "tool_execution_end":
      return { ...known, result: event.result, running: false };
  }
}
