// Gives new calls of a step the results of equal calls that are settled already, so that a new branch does not repeat their effects. The
// tool does not run, and no person and no client is asked.

import type { JsonObject } from "#contract/json.ts";
import { canonicalJson } from "#lib/canonical-json.ts";

import type { ToolRunner } from "../ports/tool-port.ts";
import { stepMessage } from "../record/message-draft.ts";
import type { MessageRecord } from "../record/record.ts";
import type { CallContext, CallSlot, SettledCall, SettledSlot } from "./call-slot.ts";
import { publicCall, stageResult } from "./store-result.ts";

/**
 * Returns the tool message of the next settled call of the tool whose arguments have this text (`argumentsText`), and counts it as used; null
 * if there is none.
 */
export type TakeSettled = (runner: ToolRunner, text: string) => MessageRecord | null;

/** The checked arguments of a call, and the text by which they are compared; null if they are not valid. The order of keys does not matter. */
export function argumentsText(runner: ToolRunner, args: JsonObject): { args: JsonObject; text: string } | null {
  const checked = runner.check(args);
  if (!checked.ok) return null;
  // A schema may make values that JSON cannot write, such as a Map. Then the arguments are compared as the model sent them.
  return { args: checked.args, text: canonicalJson(isJson(checked.args) ? checked.args : args) };
}

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint" && typeof value !== "function";
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain && Object.values(value).every(isJson);
}

/** Replaces the new calls for which there is a settled call by calls with its result. Each result is stored before the next call. */
export async function reuseCalls(
  slots: (CallSlot | SettledSlot)[],
  context: CallContext,
  take: TakeSettled,
): Promise<void> {
  for (const [at, slot] of slots.entries()) {
    const source = context.signal.aborted || "settled" in slot ? null : sourceOf(slot, take);
    if (source === null) continue;
    await context.ports.faults.at("reuse.next");
    slots[at] = { ...slot, settled: await storeReused(slot, source, context) };
  }
}

function sourceOf({ call, runner, startedRow }: CallSlot, take: TakeSettled): MessageRecord | null {
  if (startedRow !== null || runner === undefined || typeof call.arguments === "string") return null;
  const checked = argumentsText(runner, call.arguments);
  if (checked === null) return null;
  const { repeatable = false } = runner;
  const repeats = typeof repeatable === "function" ? repeatable(checked.args) : repeatable;
  return repeats ? null : take(runner, checked.text);
}

/** Writes the row of a call with the result of another one, and sends its events. The hooks of a result ran for the other call. */
async function storeReused(slot: CallSlot, source: MessageRecord, context: CallContext): Promise<SettledCall> {
  const { ports, plan } = context;
  const call = publicCall(slot.call);
  const events = context.events.fork();
  // The usage of models that the tool ran is that of the other call.
  const { executions: _, ...metadata } = source.metadata;
  const draft: MessageRecord = {
    ...stepMessage(ports, plan, { id: slot.id, role: "tool", parts: source.parts, metadata, at: ports.clock.now() }),
    position: slot.position,
    name: call.name,
    tool_call_id: call.id,
    result: source.result,
    ...(source.approval === undefined ? {} : { approval: source.approval }),
    ...(source.answered === undefined ? {} : { answered: source.answered }),
    ...(source.changed_args === undefined ? {} : { changed_args: source.changed_args }),
    ...(source.handoff === undefined ? {} : { handoff: source.handoff }),
    reused_from: source.id,
  };
  await ports.faults.at("reuse.before-create");
  const message = await ports.hooks.beforeCreateMessage(draft);
  events.stage({
    type: "tool_execution_start",
    message_id: message.id,
    tool_call_id: call.id,
    tool_name: call.name,
    args: source.approval?.args ?? source.changed_args ?? call.arguments,
  });
  const result = message.result ?? { status: "error" as const, error: "The result was lost." };
  const settled = { call, result, message, duration_ms: 0, stack: undefined };
  stageResult(settled, {
    stage: (event) => events.stage(event.type === "tool_execution_end" ? { ...event, reused_from: source.id } : event),
  });
  const stored = { ...message, events: events.take() };
  ports.journal.append(stored);
  events.release();
  await ports.faults.at("reuse.after-create");
  await ports.hooks.afterCreateMessage(stored);
  return { ...settled, message: stored };
}
