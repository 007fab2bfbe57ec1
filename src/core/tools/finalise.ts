// The end of a call: its answer passes the hooks, its files are kept, and its row is written and told in one go.

import type { ToolCallPart } from "#contract/content.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import { textOrJson } from "#lib/json-value.ts";

import type { Approval, Delivered } from "../awaited.ts";
import type { EventList } from "../event-list.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { CallOutcome } from "../ports/strategy.ts";
import type { NestedEnd, ToolAnswer } from "../ports/tool-port.ts";
import type { MessageRecord } from "../record.ts";
import { childSpending, spendOfChild } from "../run-state.ts";
import { toMessage } from "../view.ts";
import type { CallContext, CallSlot, SettledCall } from "./call-slot.ts";
import { settle } from "./settle.ts";

/** A call with its answer, on its way into its row. */
export interface Finished {
  message: MessageRecord;
  isNew: boolean;
  answer: ToolAnswer;
  end?: NestedEnd;
  begun: number;
}

/** Hooks, files, the row, the words to whoever follows: once, in this order, for every call. */
export async function finalise(
  slot: CallSlot,
  work: Finished,
  { ports, events, signal }: Pick<CallContext, "ports" | "events" | "signal">,
): Promise<SettledCall> {
  // From here on the call has its answer, whoever comes while hooks look at it.
  ports.journal.closing(work.message.id);
  const call = calledAs(slot.call, work.message);
  const hookCall = { id: call.id, name: call.name, arguments: textOrJson(call.arguments) };
  await ports.faults.at("result.after-call");
  const after = await ports.hooks.afterToolCall(hookCall, work.answer);
  await ports.faults.at("result.keep-files");
  const kept = (await ports.answers?.keep(after, { message_id: work.message.id, name: call.name, signal })) ?? after;
  await ports.faults.at("result.before-store");
  const answer = settle(await ports.hooks.beforeStoreToolResult(hookCall, kept), ports.resultBounds);
  const { stack, ...result } = answer;
  const draft = settledMessage(work, { result, handoff: slot.runner?.handoff, now: ports.clock.now() });
  await ports.faults.at("result.before-create");
  const said = await ports.hooks.beforeCreateMessage(draft);
  // The child may have told what it used while the hooks ran, also of a call that gave up waiting for it.
  const spent = spentOn(latest(work.message, ports));
  const settled = spent === null ? said : { ...said, ...childSpending(spent) };
  const duration_ms = (ports.clock.now() - work.begun) / 1000;
  // A hook may have changed what the message says: everybody is told the same.
  const done = { call: publicCall(call), result: settled.result ?? result, message: settled, duration_ms, stack };
  if (work.end !== undefined) stageNestedEnd(work.end, done.result, events);
  stageSettled(done, events);
  const stored = { ...settled, events: [...work.message.events, ...events.take()] };
  if (spent !== null) spendOfChild(ports.run, spent);
  if (work.isNew) ports.journal.append(stored);
  else ports.journal.update(stored);
  events.release();
  await ports.faults.at("result.after-create");
  await ports.hooks.afterCreateMessage(stored);
  return { ...done, message: stored };
}

/** The words are those of the call's result, which hooks may have changed and a file may hold the rest of: replay has no others. */
function stageNestedEnd(end: NestedEnd, { result, error }: ToolResult, events: EventList): void {
  events.stage({ ...end, ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) });
}

/** Stages a call's end and its message, to be released when the row is written. */
export function stageSettled({ call, message, result, duration_ms }: SettledCall, events: EventList): void {
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
  { message }: Finished,
  { result, handoff, now }: { result: ToolResult; handoff: string | undefined; now: number },
): MessageRecord {
  const text = result.status === "error" ? (result.error ?? "") : (result.result ?? "");
  const { awaits, ...kept } = message;
  return {
    ...kept,
    parts: [{ type: "text", text }],
    status: "complete",
    result,
    ...(awaits?.kind === "child" ? { child: awaits.thread_id } : {}),
    // Without an answer too: one that comes late is told from one that nobody waits for.
    ...(awaits?.kind === "remote" || awaits?.kind === "approval" ? { answered: kept.answered ?? "" } : {}),
    ...(awaits?.kind === "approval" && awaits.delivered !== null ? { approval: neverRan(awaits.delivered) } : {}),
    ...(handoff === undefined || result.status === "error" ? {} : { handoff }),
    updated_at: now,
  };
}

/** A decision on which nothing ran: arguments that it gave were nobody's. */
export function neverRan(approval: Approval): Approval {
  const { args: _, ...decision } = approval;
  return decision;
}

/** What a child that answered a call used. */
export function spentOn({ awaits }: MessageRecord): Delivered | null {
  return awaits?.kind === "child" ? awaits.delivered : null;
}

/** The row as it is now: an answer may have been delivered into it. */
export function latest(message: MessageRecord, { journal }: RunPorts): MessageRecord {
  return journal.messages.find((known) => known.id === message.id) ?? message;
}

/** The call with the arguments it has in the end. */
function calledAs(call: ToolCallPart, { approval }: MessageRecord): ToolCallPart {
  return approval?.args === undefined ? call : { ...call, arguments: approval.args };
}

function publicCall(call: ToolCallPart): CallOutcome["call"] {
  const { type: _, ...rest } = call;
  return rest;
}
