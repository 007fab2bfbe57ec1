// One call from its first row to its result: prepare, execute, finalise. Every call ends with exactly one result, whatever
// happens to the tool.

import type { ToolCallPart } from "#contract/content.ts";
import type { ToolResult } from "#contract/tool-result.ts";

import type { EventList } from "../event-list.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { CallOutcome } from "../ports/strategy.ts";
import type { ToolAnswer, ToolRunner } from "../ports/tool-port.ts";
import type { MessageRecord } from "../record.ts";
import { toMessage } from "../view.ts";
import type { CallContext, CallSlot, SettledCall } from "./call-slot.ts";
import { brokenArguments, nobodyAnswers, stoppedCall, unknownOutcome, unknownTool, wrongArguments } from "./outcome.ts";
import { perform } from "./perform.ts";
import { settle } from "./settle.ts";

/** Runs one call to its stored result. Contract: never rejects. */
export async function runCall(slot: CallSlot, context: CallContext): Promise<SettledCall> {
  const { ports, events } = context;
  const begun = ports.clock.now();
  const prepared = prepare(slot, context);
  const message = slot.cut ?? startedMessage(slot, context, begun);
  events.tell({
    type: "tool_execution_start",
    message_id: message.id,
    tool_call_id: slot.call.id,
    tool_name: slot.call.name,
    args: slot.call.arguments,
  });
  // The ledger: a call that has effects is recorded as started before it starts.
  if (slot.cut === null && "args" in prepared) ports.journal.append(message);
  const raw = "args" in prepared ? await execute(slot, prepared, context) : prepared;
  const isNew = slot.cut === null && !("args" in prepared);
  return finalise(slot, { message, isNew, answer: raw, begun }, context);
}

type Prepared = { runner: ToolRunner; args: Record<string, never> | (ToolCallPart["arguments"] & object) };

function prepare(slot: CallSlot, { plan, signal }: CallContext): Prepared | ToolAnswer {
  const { call, runner } = slot;
  // A cut call began once, so whatever keeps it from running now says nothing about what it did then.
  const refused = (answer: ToolAnswer) => (slot.cut === null ? answer : unknownOutcome);
  if (signal.aborted) return refused(stoppedCall);
  if (runner === undefined) return refused(unknownTool(call.name, [...plan.tools.keys()]));
  if (typeof call.arguments === "string") return refused(brokenArguments(call.arguments));
  const checked = runner.check(call.arguments);
  if (!checked.ok) return refused(wrongArguments(checked.problem));
  if (runner.remote) return refused(nobodyAnswers(call.name));
  return { runner, args: checked.args };
}

async function execute(slot: CallSlot, { runner, args }: Prepared, context: CallContext): Promise<ToolAnswer> {
  const attempt = slot.cut === null ? 1 : 2;
  if (slot.cut !== null && !runner.idempotent) {
    if (runner.reconcile === null) return unknownOutcome;
    const known = await reconciled(runner.reconcile(slot.call.id, args), runner.timeoutMs, context);
    if (known !== null) return settle(known);
  }
  await context.ports.faults.at("tool.execute");
  const call = { id: slot.call.id, attempt };
  return perform(runner, { args, call, message_id: slot.id }, context);
}

/** What the outside world says of a cut call. One that cannot say so in time leaves the outcome unknown. */
async function reconciled(
  asked: Promise<ToolAnswer | null>,
  timeoutMs: number,
  { ports, signal }: CallContext,
): Promise<ToolAnswer | null> {
  let release = () => {};
  const gaveUp = new Promise<ToolAnswer>((resolve) => {
    const giveUp = () => resolve(unknownOutcome);
    const disarm = ports.clock.after(timeoutMs, giveUp);
    signal.addEventListener("abort", giveUp);
    release = () => {
      disarm();
      signal.removeEventListener("abort", giveUp);
    };
  });
  try {
    return await Promise.race([asked.catch(() => unknownOutcome), gaveUp]);
  } finally {
    release();
  }
}

async function finalise(
  slot: CallSlot,
  work: { message: MessageRecord; isNew: boolean; answer: ToolAnswer; begun: number },
  { ports, events }: CallContext,
): Promise<SettledCall> {
  const { call } = slot;
  const hookCall = { id: call.id, name: call.name, arguments: argumentsText(call) };
  const after = await ports.hooks.afterToolCall(hookCall, work.answer);
  const answer = settle(await ports.hooks.beforeStoreToolResult(hookCall, after));
  const { stack, ...result } = answer;
  const settled = await ports.hooks.beforeCreateMessage(settledMessage(work.message, result, ports));
  await ports.faults.at("tool.store");
  if (work.isNew) ports.journal.append(settled);
  else ports.journal.update(settled);
  await ports.hooks.afterCreateMessage(settled);
  const duration_ms = (ports.clock.now() - work.begun) / 1000;
  // A hook may have changed what the message says: everybody is told the same.
  const done = { call: publicCall(call), result: settled.result ?? result, message: settled, duration_ms, stack };
  tellSettled(done, { events });
  return done;
}

/** Tells a call's end and its message. Call it when the row is written. */
export function tellSettled(
  { call, message, result, duration_ms }: SettledCall,
  { events }: Pick<CallContext, "events">,
): void {
  events.tell({
    type: "tool_execution_end",
    message_id: message.id,
    tool_call_id: call.id,
    tool_name: call.name,
    result,
    is_error: result.status === "error",
    duration_ms,
  });
  tellToolMessage(message, events);
}

function tellToolMessage(message: MessageRecord, events: EventList): void {
  const hidden = message.silent ? ({ silent: true } as const) : {};
  const of = { message_id: message.id, ...hidden };
  events.tell({ type: "message_start", ...of, role: "tool", position: message.position });
  events.tell({ type: "message_end", ...of, message: toMessage(message) });
}

function startedMessage(slot: CallSlot, { ports, plan }: CallContext, at: number): MessageRecord {
  return {
    id: slot.id,
    branch: ports.run.branch,
    position: slot.position,
    role: "tool",
    parts: [],
    name: slot.call.name,
    tool_call_id: slot.call.id,
    parent_id: null,
    depth: plan.depth,
    silent: false,
    metadata: {},
    run_id: ports.run.id,
    step: plan.step,
    side: plan.side,
    status: "started",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    created_at: at,
    updated_at: at,
    events: [],
  };
}

function settledMessage(message: MessageRecord, result: ToolResult, ports: RunPorts): MessageRecord {
  const text = result.status === "error" ? (result.error ?? "") : (result.result ?? "");
  return {
    ...message,
    parts: [{ type: "text", text }],
    status: "complete",
    result,
    updated_at: ports.clock.now(),
  };
}

function argumentsText(call: ToolCallPart): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

function publicCall(call: ToolCallPart): CallOutcome["call"] {
  const { type: _, ...rest } = call;
  return rest;
}
