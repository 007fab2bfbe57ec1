// A call that may run only when a person consented. Whether it asks is known before anything of its step runs; then its row
// waits as a remote call's does (architecture §5.3). A consent is put into the row before the function begins: a crash behind
// that is a cut call like any other, one before it has done nothing.

import type { JsonObject } from "#contract/json.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { Approval, AwaitedApproval } from "../awaited.ts";
import type { EventList } from "../event-list.ts";
import type { ApprovalRule, ToolAnswer } from "../ports/tool-port.ts";
import type { MessageRecord } from "../record.ts";
import type { CallContext, CallSlot } from "./call-slot.ts";
import { declined, failed, notApproved, stoppedCall, tooManyOutside } from "./outcome.ts";
import { settleThrown } from "./settle.ts";

/** Calls of a step that may wait for somebody outside: all of them stand in the run's row and in the thread's. */
const mostOutside = 1000;

/** What a call's row says of the consent it waits for; null for one that waits for none. */
export function awaitedApproval(row: MessageRecord | null): AwaitedApproval | null {
  return row?.awaits?.kind === "approval" ? row.awaits : null;
}

/** A person consented, and the call has not begun yet. */
export function isApproved(row: MessageRecord | null): boolean {
  return awaitedApproval(row)?.delivered?.approved === true;
}

/** Nobody has decided, and there is time still. */
export function isUndecided(row: MessageRecord | null, { ports, signal }: CallContext): boolean {
  const awaits = awaitedApproval(row);
  return awaits !== null && awaits.delivered === null && awaits.deadline > ports.clock.now() && !signal.aborted;
}

/** The row of a call that begins to wait for a consent. */
export function askedFor(rule: ApprovalRule, now: number): AwaitedApproval {
  return { kind: "approval", editable: rule.editable, deadline: now + rule.deadlineMs * 1000, delivered: null };
}

/**
 * Whether calls that begin ask first, put into their slots. A rule that throws, hangs or answers anything but false or true
 * never lets its call run.
 */
export async function markAsking(slots: readonly CallSlot[], context: CallContext): Promise<void> {
  const outside = slots.filter(({ left, runner }) => left === null && (runner?.remote === true || runner?.approval));
  for (const slot of outside.slice(mostOutside)) slot.consent = { refused: tooManyOutside(mostOutside) };
  await context.ports.faults.at("calls.consent");
  await Promise.all(
    slots.map(async (slot) => {
      const { runner, left, call } = slot;
      if (left !== null || runner?.approval === undefined || slot.consent !== undefined) return;
      if (typeof call.arguments === "string") return;
      const checked = runner.check(call.arguments);
      if (!checked.ok || context.signal.aborted) return;
      await context.ports.faults.at("consent.ask");
      slot.consent = await consentFor(slot, runner.approval, { args: checked.args, context });
    }),
  );
}

async function consentFor(
  { call }: CallSlot,
  rule: ApprovalRule,
  { args, context }: { args: JsonObject; context: CallContext },
): Promise<CallSlot["consent"]> {
  const { ports, signal } = context;
  try {
    await ports.faults.at("consent.wait");
    const needed = await waitWithin<boolean | ToolAnswer>(() => rule.needed(args), {
      timers: ports.clock,
      milliseconds: rule.timeoutMs,
      onTimeout: () => failed(`Whether "${call.name}" needs approval could not be found out in time; it was not run.`),
      abort: { signal, onAbort: () => stoppedCall },
    });
    if (typeof needed === "object") return { refused: needed };
    return needed ? { ask: rule } : undefined;
  } catch (thrown) {
    return { refused: settleThrown(thrown) };
  }
}

/** What becomes of a call whose row waits for a consent: it rests on, it is answered without having run, or it runs. */
export type Consented =
  | { type: "rest"; until: number }
  | { type: "answer"; answer: ToolAnswer }
  | { type: "run"; approval: Approval };

/** Reads it off the row. */
export function consented(
  name: string,
  { delivered, deadline }: AwaitedApproval,
  { ports, signal }: CallContext,
): Consented {
  if (delivered?.approved === false) return { type: "answer", answer: declined(name, delivered.reason) };
  if (signal.aborted) return { type: "answer", answer: stoppedCall };
  if (delivered !== null) return { type: "run", approval: delivered };
  if (deadline > ports.clock.now()) return { type: "rest", until: deadline };
  return { type: "answer", answer: notApproved(name) };
}

/** Puts the consent into the row: from here on the call counts as begun. `args` are those it runs with. */
export function recordConsent(
  row: MessageRecord,
  { approval, args }: { approval: Approval; args: JsonObject | string },
  { ports, events }: CallContext,
): MessageRecord {
  const { awaits: _, ...kept } = row;
  tellStart(row, args, events);
  const begun = { ...kept, approval, events: [...row.events, ...events.take()] };
  ports.journal.update(begun);
  return begun;
}

/** Tells that a call begins, with the arguments it has in the end. */
export function tellStart(row: MessageRecord, args: JsonObject | string, events: EventList): void {
  events.tell({
    type: "tool_execution_start",
    message_id: row.id,
    tool_call_id: row.tool_call_id ?? "",
    tool_name: row.name ?? "",
    args,
  });
}
