// Stores the result of a call: runs the hooks, stores long texts and attachments as files, writes the row of the tool message, and sends
// the events of the result.

import type { ToolResult } from "#contract/call-result.ts";
import type { ToolCallPart } from "#contract/content.ts";
import type { Json } from "#contract/json.ts";
import { textOrJson } from "#lib/json-value.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import type { CallOutcome } from "../ports/strategy-port.ts";
import type { ExecutionTotals } from "../ports/tool-host.ts";
import type { NestedEnd } from "../ports/tool-port.ts";
import type { Approval, Delivered, ToolAnswer } from "../record/awaited.ts";
import type { MessageRecord, StoredPart } from "../record/record.ts";
import { childUsageFields, addChildUsage } from "../record/run-state.ts";
import { toMessage } from "../record/view.ts";
import type { RowEvents } from "../step/row-events.ts";
import type { CallContext, CallSlot, SettledCall } from "./call-slot.ts";
import { fitResult, threadResults } from "./read-result.ts";
import { filesInMessage } from "./result-content.ts";

/** A call and the result that its tool returned. `isNew`: the call has no row yet. `end`: the event of a nested loop's end. */
export interface FinishedCall {
  message: MessageRecord;
  isNew: boolean;
  answer: ToolAnswer;
  end?: NestedEnd;
  /** The totals of the executions that the tool ran in the call. They become metadata of the message. */
  executions?: readonly ExecutionTotals[] | undefined;
  startedAt: number;
}

/**
 * Stores the result. Called once for each call. The order: the hooks after the call, the files of the result, the hooks before the result
 * and its message are stored, the row, the events, the hooks after the message was added.
 */
export async function storeResult(
  slot: CallSlot,
  finished: FinishedCall,
  { ports, events, signal }: Pick<CallContext, "ports" | "events" | "signal">,
): Promise<SettledCall> {
  // From here on no other result is accepted for the call, also while the hooks run.
  ports.journal.closing(finished.message.id);
  const call = withFinalArguments(slot.call, finished.message);
  const hookCall = { id: call.id, name: call.name, arguments: textOrJson(call.arguments) };
  await ports.faults.at("result.after-call");
  const after = await ports.hooks.afterToolCall(hookCall, finished.answer);
  await ports.faults.at("result.keep-files");
  const kept =
    (await ports.answers?.keep(after, { message_id: finished.message.id, name: call.name, signal })) ?? after;
  const { results = threadResults } = ports;
  await ports.faults.at("result.before-store");
  const { value, ...final } = await ports.hooks.beforeStoreToolResult(hookCall, kept);
  const { answer, files } = results.keepsBytes ? filesInMessage(final) : { answer: final, files: [] };
  const { stack, ...result } = fitResult(answer, results);
  const draft = settledMessage(finished, { result, files, handoff: slot.runner?.handoff, now: ports.clock.now() });
  await ports.faults.at("result.before-create");
  const hooked = await ports.hooks.beforeCreateMessage(draft);
  // A child thread may have reported its usage while the hooks ran, also for a call whose deadline is over.
  const usage = childUsage(currentRow(finished.message, ports));
  const settled = usage === null ? hooked : { ...hooked, ...childUsageFields(usage) };
  const duration_ms = (ports.clock.now() - finished.startedAt) / 1000;
  // A hook may have changed the result: events and log get the changed one.
  const done = { call: publicCall(call), result: settled.result ?? result, message: settled, duration_ms, stack };
  if (finished.end !== undefined) stageNestedEnd(finished.end, done.result, events);
  stageResult(done, events);
  const stored = { ...settled, events: [...finished.message.events, ...events.take()] };
  if (usage !== null) addChildUsage(ports.run, usage);
  if (finished.isNew) ports.journal.append(stored);
  else ports.journal.update(stored);
  events.release();
  await ports.faults.at("result.after-create");
  await ports.hooks.afterCreateMessage(stored);
  if (ports.hooks.afterCall !== undefined) {
    await ports.faults.at("result.after");
    await ports.hooks.afterCall(hookCall, done.result, done.result === result ? value : undefined);
  }
  return { ...done, message: stored };
}

/**
 * Adds the end of a nested loop, with the stored result, to the events of the call's row. Hooks may have changed the result, and replay
 * sends only the stored one.
 */
function stageNestedEnd(end: NestedEnd, { result, error }: ToolResult, events: RowEvents): void {
  events.stage({ ...end, ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) });
}

/** Adds the end of a call and its message to the events of the call's row. */
export function stageResult(
  { call, message, result, duration_ms }: SettledCall,
  events: Pick<RowEvents, "stage">,
): void {
  const hidden = message.silent ? ({ silent: true } as const) : {};
  const of = { message_id: message.id, ...hidden };
  events.stage({
    type: "tool_execution_end",
    message_id: message.id,
    tool_call_id: call.id,
    tool_name: call.name,
    result,
    is_error: result.status === "error",
    duration_ms,
  });
  events.stage({ type: "message_start", ...of, role: "tool", position: message.position });
  events.stage({ type: "message_end", ...of, message: toMessage(message) });
}

function settledMessage(
  { message, executions = [] }: FinishedCall,
  {
    result,
    files,
    handoff,
    now,
  }: { result: ToolResult; files: StoredPart[]; handoff: string | undefined; now: number },
): MessageRecord {
  const text = result.status === "error" ? (result.error ?? "") : (result.result ?? "");
  const { awaits, ...kept } = message;
  return {
    ...kept,
    parts: [{ type: "text", text }, ...files],
    status: "complete",
    result,
    ...(awaits?.kind === "child" ? { child: awaits.thread_id } : {}),
    // Also set without a posted answer: it marks the call as one that waited for a client, so that a late answer is recognised.
    ...(awaits?.kind === "remote" || awaits?.kind === "approval" ? { answered: kept.answered ?? "" } : {}),
    ...(awaits?.kind === "approval" && awaits.delivered !== null
      ? { approval: withoutChangedArguments(awaits.delivered) }
      : {}),
    ...(handoff === undefined || result.status === "error" ? {} : { handoff }),
    ...(executions.length === 0 ? {} : { metadata: { ...kept.metadata, executions: executionsJson(executions) } }),
    updated_at: now,
  };
}

function executionsJson(executions: readonly ExecutionTotals[]): Json {
  return executions.map(({ usage, ...totals }) => ({ ...totals, usage: { ...usage } }));
}

/** Returns the approval without changed arguments, for a call that did not run. */
export function withoutChangedArguments(approval: Approval): Approval {
  const { args: _, ...decision } = approval;
  return decision;
}

/** The usage that a child thread delivered with its result; null if there is none. */
export function childUsage({ awaits }: MessageRecord): Delivered | null {
  return awaits?.kind === "child" ? awaits.delivered : null;
}

/** The current row of a call: a result may have been delivered into it. */
export function currentRow(message: MessageRecord, { journal }: RunPorts): MessageRecord {
  return journal.messages.find((known) => known.id === message.id) ?? message;
}

/** The call with the arguments that it ran with. */
function withFinalArguments(call: ToolCallPart, { approval, changed_args }: MessageRecord): ToolCallPart {
  const changed = approval?.args ?? changed_args;
  return changed === undefined ? call : { ...call, arguments: changed };
}

/** A call without the type of its part. */
export function publicCall(call: ToolCallPart): CallOutcome["call"] {
  const { type: _, ...rest } = call;
  return rest;
}
