// Runs the calls of one step, each as soon as the calls that it depends on have results. Before that, decides which calls need an
// approval.

import type { ToolCallPart } from "#contract/content.ts";
import type { JsonObject } from "#contract/json.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { ApprovalRule } from "../ports/tool-port.ts";
import type { ToolAnswer } from "../record/awaited.ts";
import type { MessageRecord } from "../record/record.ts";
import { isInScope } from "../record/scope.ts";
import { awaitedApproval, isApproved, isSettledCall } from "./call-slot.ts";
import type { CallContext, CallSlot, CallState, SettledCall, SettledSlot } from "./call-slot.ts";
import { runCall } from "./call.ts";
import { errorResult } from "./error-results.ts";
import { requestedOrder } from "./model-order.ts";
import { threadResults, thrownResult } from "./read-result.ts";
import { schedule } from "./schedule.ts";
import type { ScheduledCall } from "./schedule.ts";
import { publicCall, stageResult } from "./store-result.ts";

/** The results of a step's calls. */
export interface StepCallResults {
  /** In call order. */
  settled: SettledCall[];
  warnings: string[];
  /** The earliest deadline of the calls that wait for a result from outside (microseconds); null if no call waits. */
  suspendedUntil: number | null;
}

/**
 * Runs every call that has no result yet. `known` are the calls' existing tool messages: results are used again; started calls were
 * interrupted, or wait. Contract: never rejects. If no call waits, each call has exactly one result afterwards.
 */
export async function runCalls(
  calls: readonly ToolCallPart[],
  known: readonly MessageRecord[],
  context: CallContext,
): Promise<StepCallResults> {
  const { faults, reuse } = context.ports;
  const slots: (CallSlot | SettledSlot)[] = [];
  for (const call of calls) slots.push(slotFor(call, known, { ...context, before: slots.at(-1) }));
  await faults.at("calls.mark");
  await reuse?.(slots, context);
  await faults.at("calls.rules");
  await evaluateRules(slots, context);
  const graph = schedule(
    slots.map((slot) => ({
      ...orderOf(slot, calls),
      name: slot.call.name,
      sequential: slot.runner?.sequential ?? false,
      remote: slot.runner?.remote === true || needsDecision(slot),
      elsewhere: slot.runner?.elsewhere ?? false,
    })),
    context.plan.toolMode,
  );
  // Approved calls run only when a decision about every call of the step was made. They run in the order of the step.
  const hasUndecided = slots.some(({ startedRow }) => isUndecided(startedRow, context));
  const running: Promise<CallState>[] = [];
  async function startWhenReady(slot: CallSlot | SettledSlot, at: number): Promise<CallState> {
    if ("settled" in slot) return slot.settled;
    if (hasUndecided && isApproved(slot.startedRow)) return { waits_until: null };
    const others = [...(graph.waitsFor[at] ?? [])];
    // Only a new call, and a call that was just approved, wait for other calls. A call that was started before does not: its result may
    // have arrived.
    if (others.length > 0 && (slot.startedRow === null || isApproved(slot.startedRow))) {
      // This call may depend on a later one, whose promise does not exist before the next tick.
      await faults.at("calls.begin");
      await Promise.resolve();
      await faults.at("calls.wait");
      const before = await Promise.all(others.flatMap((other) => running[other] ?? []));
      // A call that depends on a waiting call starts when that call has its result.
      if (!before.every(isSettledCall)) return { waits_until: null };
    }
    return runCall(slot, context);
  }

  await faults.at("calls.run");
  const states = await Promise.all(slots.map((slot, at) => (running[at] = startWhenReady(slot, at))));
  const deadlines = states.flatMap((call) => ("waits_until" in call ? [call.waits_until] : []));
  return {
    settled: states.filter(isSettledCall),
    warnings: graph.cycle ? [cutCycle] : [],
    suspendedUntil: deadlines.length === 0 ? null : Math.min(...deadlines.flatMap((until) => until ?? [])),
  };
}

/** The calls that a call waits for: those that its tool's definition names, and those that its model names. */
function orderOf(
  { call, runner }: CallSlot,
  calls: readonly ToolCallPart[],
): Pick<ScheduledCall, "dependsOn" | "after"> {
  const { dependsOn, after } = requestedOrder(call, runner, calls);
  return { dependsOn: [...(runner?.dependsOn ?? []), ...dependsOn], after };
}

/**
 * The maximum number of calls of a step that may wait for a client or a person: all of them are listed in the run's row and in the
 * thread's.
 */
const mostWaiting = 1000;

/**
 * Evaluates the approval rules of new calls, and sets `approval` of their slots. A call whose rule throws or takes too long gets an error
 * result and never runs.
 */
async function evaluateRules(slots: readonly (CallSlot | SettledSlot)[], context: CallContext): Promise<void> {
  const fresh = slots.filter((slot) => slot.startedRow === null && !("settled" in slot));
  const waiting = fresh.filter(({ runner }) => runner?.remote === true || runner?.approval);
  const { errors } = context.ports.results ?? threadResults;
  for (const slot of waiting.slice(mostWaiting)) {
    slot.approval = { refused: errorResult(errors.tooManyWaiting(mostWaiting)) };
  }
  await context.ports.faults.at("calls.consent");
  await Promise.all(
    fresh.map(async (slot) => {
      const { runner, call } = slot;
      if (runner?.approval === undefined || slot.approval !== undefined) return;
      if (typeof call.arguments === "string") return;
      const checked = runner.check(call.arguments);
      if (!checked.ok || context.signal.aborted) return;
      await context.ports.faults.at("consent.ask");
      slot.approval = await evaluateRule(slot, runner.approval, { args: checked.args, context });
    }),
  );
}

async function evaluateRule(
  { call }: CallSlot,
  rule: ApprovalRule,
  { args, context }: { args: JsonObject; context: CallContext },
): Promise<CallSlot["approval"]> {
  const { ports, signal } = context;
  const { results = threadResults } = ports;
  const { errors } = results;
  try {
    await ports.faults.at("consent.wait");
    const needed = await waitWithin<boolean | ToolAnswer>(() => rule.needed(args), {
      timers: ports.clock,
      milliseconds: rule.timeoutMs,
      onTimeout: () => errorResult(errors.approvalRuleTimedOut(call.name)),
      abort: { signal, onAbort: () => errorResult(errors.stopped(call.name)) },
    });
    if (typeof needed === "object") return { refused: needed };
    return needed ? { rule } : undefined;
  } catch (thrown) {
    return { refused: thrownResult(thrown, results) };
  }
}

/** Whether the call needs a person's decision before it runs. */
function needsDecision({ approval, startedRow }: CallSlot): boolean {
  return (
    (approval !== undefined && "rule" in approval) || (awaitedApproval(startedRow) !== null && !isApproved(startedRow))
  );
}

/** Whether the call's row waits for a decision, and its deadline is not over. */
function isUndecided(row: MessageRecord | null, { ports, signal }: CallContext): boolean {
  const awaits = awaitedApproval(row);
  return awaits !== null && awaits.delivered === null && awaits.deadline > ports.clock.now() && !signal.aborted;
}

const cutCycle = "These calls depend on each other in a circle; they were run in call order.";

function slotFor(
  call: ToolCallPart,
  known: readonly MessageRecord[],
  { ports, plan, events, before }: CallContext & { before: CallSlot | undefined },
): CallSlot | SettledSlot {
  const row = known.find((message) => message.tool_call_id === call.id) ?? null;
  const id = row?.id ?? ports.ids.ordered();
  const scoped = ports.journal.messages.filter((message) => isInScope(ports.scope, message));
  const previous = before?.position ?? messageOfCall(call, scoped)?.position ?? "";
  const slot: CallSlot = {
    call,
    id,
    // A position that was reserved before a crash is lost. If later calls have positions, this call's is put before them.
    position: row?.position ?? (known.some(({ position }) => position > previous) ? `${previous}.1` : id),
    startedRow: row?.status === "started" ? row : null,
    runner: plan.tools.get(call.name),
  };
  if (row?.status !== "complete") return slot;
  const result = row.result ?? { status: "error" as const, error: "The result was lost." };
  const end = row.events.find((event) => event.type === "tool_execution_end");
  const duration_ms = Number(end?.["duration_ms"] ?? 0);
  const settled = { call: publicCall(call), result, message: row, duration_ms, stack: undefined };
  // Recovery completed this row and emitted no end event, so the end is emitted here.
  if (end === undefined) stageResult(settled, events);
  return { ...slot, settled };
}

function messageOfCall(call: ToolCallPart, messages: readonly MessageRecord[]): MessageRecord | undefined {
  return messages.findLast(({ parts }) => parts.some((part) => part.type === "tool_call" && part.id === call.id));
}
