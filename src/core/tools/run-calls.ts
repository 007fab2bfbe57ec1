// Runs the calls of one step in the order their graph allows. Results come back in call order.

import type { ToolCallPart } from "#contract/content.ts";

import { isOnLine } from "../line.ts";
import type { MessageRecord } from "../record.ts";
import { awaitedApproval, isApproved, isUndecided, markAsking } from "./approval.ts";
import type { CallContext, CallSlot, DrivenCall, SettledCall } from "./call-slot.ts";
import { isSettledCall } from "./call-slot.ts";
import { runCall } from "./call.ts";
import { stageSettled } from "./finalise.ts";
import { schedule } from "./schedule.ts";

/** What came of a step's calls, and what the log should say about them. */
export interface RanCalls {
  settled: SettledCall[];
  warnings: string[];
  /** Set while calls wait for answers from elsewhere: when the first of them gives up waiting (microseconds). */
  restsUntil: number | null;
}

/**
 * Runs every call that has no result yet. `known` holds the tool messages that are there already: settled ones are used
 * again, started ones were cut or rest. Contract: never rejects; unless it rests, each call has exactly one result
 * afterwards.
 */
export async function runCalls(
  calls: readonly ToolCallPart[],
  known: readonly MessageRecord[],
  context: CallContext,
): Promise<RanCalls> {
  const slots: (CallSlot | SettledSlot)[] = [];
  for (const call of calls) slots.push(slotFor(call, known, { ...context, before: slots.at(-1) }));
  await context.ports.faults.at("calls.mark");
  await markAsking(
    slots.filter((slot) => !("settled" in slot)),
    context,
  );
  const graph = schedule(
    slots.map((slot) => ({
      name: slot.call.name,
      sequential: slot.runner?.sequential ?? false,
      remote: slot.runner?.remote === true || asks(slot),
      elsewhere: slot.runner?.elsewhere ?? false,
      dependsOn: slot.runner?.dependsOn ?? [],
    })),
    context.plan.toolMode,
  );
  // What was approved runs when everything is decided, in the order of its step.
  const undecided = slots.some(({ left }) => isUndecided(left, context));
  const running: Promise<DrivenCall>[] = [];
  async function startWhenReady(slot: CallSlot | SettledSlot, at: number): Promise<DrivenCall> {
    if ("settled" in slot) return slot.settled;
    if (undecided && isApproved(slot.left)) return { rests_until: null };
    const others = [...(graph.waitsFor[at] ?? [])];
    // A call that began in an earlier drive waits for nobody: its answer may be there. One that was approved begins now.
    if (others.length > 0 && (slot.left === null || isApproved(slot.left))) {
      // A later call may be waited for: its promise exists once this tick is over.
      await context.ports.faults.at("calls.begin");
      await Promise.resolve();
      await context.ports.faults.at("calls.wait");
      const before = await Promise.all(others.flatMap((other) => running[other] ?? []));
      // Behind a call that rests: it begins when that one has its answer.
      if (!before.every(isSettledCall)) return { rests_until: null };
    }
    return runCall(slot, context);
  }

  await context.ports.faults.at("calls.run");
  const driven = await Promise.all(slots.map((slot, at) => (running[at] = startWhenReady(slot, at))));
  const rests = driven.flatMap((call) => ("rests_until" in call ? [call.rests_until] : []));
  return {
    settled: driven.filter(isSettledCall),
    warnings: graph.cycle ? [cutCycle] : [],
    restsUntil: rests.length === 0 ? null : Math.min(...rests.flatMap((until) => until ?? [])),
  };
}

/** Somebody outside has to decide about it first. */
function asks({ consent, left }: CallSlot): boolean {
  return (consent !== undefined && "ask" in consent) || (awaitedApproval(left) !== null && !isApproved(left));
}

const cutCycle = "These calls depend on each other in a circle; they were run in call order.";

type SettledSlot = CallSlot & { settled: SettledCall };

function slotFor(
  call: ToolCallPart,
  known: readonly MessageRecord[],
  { ports, plan, events, before }: CallContext & { before: CallSlot | undefined },
): CallSlot | SettledSlot {
  const row = known.find((message) => message.tool_call_id === call.id) ?? null;
  const id = row?.id ?? ports.ids.ordered();
  const line = ports.journal.messages.filter((message) => isOnLine(ports.line, message));
  const previous = before?.position ?? holderOf(call, line)?.position ?? "";
  const slot: CallSlot = {
    call,
    id,
    // The place reserved in an earlier life is lost; where later calls have theirs, this one's is between them.
    position: row?.position ?? (known.some(({ position }) => position > previous) ? `${previous}.1` : id),
    left: row?.status === "started" ? row : null,
    runner: plan.tools.get(call.name),
  };
  if (row?.status !== "complete") return slot;
  const { type: _, ...publicCall } = call;
  const result = row.result ?? { status: "error" as const, error: "The result was lost." };
  const end = row.events.find((event) => event.type === "tool_execution_end");
  const duration_ms = Number(end?.["duration_ms"] ?? 0);
  const settled = { call: publicCall, result, message: row, duration_ms, stack: undefined };
  // A row that does not carry its own end was closed without being told.
  if (end === undefined) stageSettled(settled, events);
  return { ...slot, settled };
}

function holderOf(call: ToolCallPart, messages: readonly MessageRecord[]): MessageRecord | undefined {
  return messages.findLast(({ parts }) => parts.some((part) => part.type === "tool_call" && part.id === call.id));
}
