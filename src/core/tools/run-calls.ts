// Runs the calls of one step in the order their graph allows. Results come back in call order.

import type { ToolCallPart } from "#contract/content.ts";

import type { MessageRecord } from "../record.ts";
import type { CallContext, CallSlot, SettledCall } from "./call-slot.ts";
import { runCall, tellSettled } from "./call.ts";
import { schedule } from "./schedule.ts";

/** What came of a step's calls, and what the log should say about them. */
export interface RanCalls {
  settled: SettledCall[];
  warnings: string[];
}

/**
 * Runs every call that has no result yet. `known` holds the tool messages that are there already: settled ones are used
 * again, started ones were cut. Contract: never rejects; each call has exactly one result afterwards.
 */
export async function runCalls(
  calls: readonly ToolCallPart[],
  known: readonly MessageRecord[],
  context: CallContext,
): Promise<RanCalls> {
  const slots: (CallSlot | SettledSlot)[] = [];
  for (const call of calls) slots.push(slotFor(call, known, { ...context, before: slots.at(-1) }));
  const graph = schedule(
    slots.map(({ call, runner }) => ({
      name: call.name,
      sequential: runner?.sequential ?? false,
      dependsOn: runner?.dependsOn ?? [],
    })),
    context.plan.toolMode,
  );
  const running: Promise<SettledCall>[] = [];
  slots.forEach((slot, at) => {
    running[at] = startWhenReady(slot, at);
  });

  async function startWhenReady(slot: CallSlot | SettledSlot, at: number): Promise<SettledCall> {
    if ("settled" in slot) {
      // From an earlier life of the object: whether its end was told is not known, so it is told again.
      tellSettled(slot.settled, context);
      return slot.settled;
    }
    const others = [...(graph.waitsFor[at] ?? [])];
    if (others.length > 0) {
      // A later call may be waited for: its promise exists once this tick is over.
      await Promise.resolve();
      await Promise.all(others.flatMap((other) => running[other] ?? []));
    }
    return runCall(slot, context);
  }

  return { settled: await Promise.all(running), warnings: graph.cycle ? [cutCycle] : [] };
}

const cutCycle = "These calls depend on each other in a circle; they were run in call order.";

type SettledSlot = CallSlot & { settled: SettledCall };

function slotFor(
  call: ToolCallPart,
  known: readonly MessageRecord[],
  { ports, plan, before }: CallContext & { before: CallSlot | undefined },
): CallSlot | SettledSlot {
  const row = known.find((message) => message.tool_call_id === call.id) ?? null;
  const id = row?.id ?? ports.ids.ordered();
  const previous = before?.position ?? holderOf(call, ports.journal.messages)?.position ?? "";
  const slot: CallSlot = {
    call,
    id,
    // The place reserved in an earlier life is lost; where later calls have theirs, this one's is between them.
    position: row?.position ?? (known.some(({ position }) => position > previous) ? `${previous}.1` : id),
    cut: row?.status === "started" ? row : null,
    runner: plan.tools.get(call.name),
  };
  if (row?.status !== "complete") return slot;
  const { type: _, ...publicCall } = call;
  const result = row.result ?? { status: "error" as const, error: "The result was lost." };
  return {
    ...slot,
    settled: { call: publicCall, result, message: row, duration_ms: 0, stack: undefined },
  };
}

function holderOf(call: ToolCallPart, messages: readonly MessageRecord[]): MessageRecord | undefined {
  return messages.findLast(({ parts }) => parts.some((part) => part.type === "tool_call" && part.id === call.id));
}
