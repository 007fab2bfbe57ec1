// One call from its first row to its result: prepare, wait for an approval if the call needs one, execute, store the result. Every call
// ends with exactly one result, whatever its tool does. A call that needs an approval, or whose result comes from outside, waits as a
// row. The row also holds the call's events, for replay.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { textOrJson } from "#lib/json-value.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { LoopHooks, UpdateHook } from "../ports/hook-port.ts";
import { isSteered } from "../ports/steering.ts";
import type { ClosableExecutions } from "../ports/tool-host.ts";
import type { ApprovalRule, NestedOutcome, NestedRunner, ToolRunner } from "../ports/tool-port.ts";
import type { Approval, AwaitedApproval, ToolAnswer } from "../record/awaited.ts";
import { stepMessage } from "../record/message-draft.ts";
import type { MessageRecord } from "../record/record.ts";
import type { RowEvents } from "../step/row-events.ts";
import { awaitedApproval } from "./call-slot.ts";
import type { CallContext, CallSlot, CallState } from "./call-slot.ts";
import { errorResult } from "./error-results.ts";
import type { CallErrorTexts } from "./error-results.ts";
import { executeTool } from "./execute-tool.ts";
import { readToolAnswer, threadResults, thrownResult } from "./read-result.ts";
import { currentRow, storeResult } from "./store-result.ts";

/** Runs one call until its result is stored, or until it waits. Contract: never rejects. */
export async function runCall(slot: CallSlot, stepContext: CallContext): Promise<CallState> {
  const { ports } = stepContext;
  const context = { ...stepContext, events: stepContext.events.fork() };
  const row = slot.startedRow;
  const startedAt = startTime(row) ?? ports.clock.now();
  const awaited = awaitedApproval(row);
  if (row !== null && awaited !== null) {
    await ports.faults.at("call.consented");
    return continueAfterApproval({ ...slot, startedRow: row }, awaited, context);
  }
  if (row?.awaits?.kind === "remote" && slot.runner?.remote !== true) {
    // A new release gave the tool a function, or removed the tool. A result that the client posted before still counts.
    const answer = row.awaits.delivered?.answer ?? errorResult(errorTexts(ports).noLongerRemote(slot.call.name));
    return storeResult(slot, { message: row, isNew: false, answer, startedAt }, context);
  }
  const prepared = prepare(slot, stepContext);
  if (slot.approval !== undefined && "rule" in slot.approval && "args" in prepared) {
    return waitForApproval(slot, slot.approval.rule, context);
  }
  let allowed: ReadyCall | ToolAnswer = prepared;
  if (row === null && "args" in prepared && ports.hooks.beforeCall !== undefined) {
    await ports.faults.at("call.before");
    allowed = await applyBeforeCall(slot, prepared, { ...stepContext, beforeCall: ports.hooks.beforeCall });
  }
  const message = row ?? recordStart(slot, allowed, { ...context, startedAt });
  if (!("args" in allowed)) {
    return storeResult(slot, { message, isNew: row === null, answer: allowed, startedAt }, context);
  }
  await ports.faults.at("call.prepared");
  return runPrepared(slot, { ...allowed, message, startedAt }, context);
}

/** A call that may run: its tool, and its checked arguments. */
type PreparedCall = { runner: ToolRunner; args: JsonObject };

/** A prepared call. `changed` are its arguments before the check, if a hook changed them. */
type ReadyCall = PreparedCall & { changed?: JsonObject };

/**
 * Calls the hook that decides about a call before it starts. Checks the call again afterwards: the hook may have changed the arguments,
 * and the run may have been stopped meanwhile.
 */
async function applyBeforeCall(
  slot: CallSlot,
  { runner }: PreparedCall,
  { beforeCall, ...context }: CallContext & { beforeCall: NonNullable<LoopHooks["beforeCall"]> },
): Promise<ReadyCall | ToolAnswer> {
  const { id, name, arguments: args } = slot.call;
  // An approval, and a client that runs the call, refer to the arguments that the model sent, so a hook cannot change these.
  const canChangeArguments = !runner.remote && runner.approval === undefined;
  await context.ports.faults.at("call.ask-hook");
  const decision = await beforeCall({ id, name, arguments: textOrJson(args), canChangeArguments });
  if (decision.type === "skip") return errorResult(errorTexts(context.ports).skippedByHook(name));
  const changed = canChangeArguments ? decision.args : undefined;
  const prepared = prepare(slot, context, changed);
  return "args" in prepared && changed !== undefined ? { ...prepared, changed } : prepared;
}

/**
 * Checks whether the call may run; returns its error result if it may not. `changed` are the arguments that a person changed when they
 * approved the call, or that a hook changed.
 */
function prepare(
  slot: CallSlot,
  { plan, signal, ports, maySkip = false }: CallContext,
  changed = slot.startedRow?.approval?.args ?? slot.startedRow?.changed_args,
): PreparedCall | ToolAnswer {
  const { call, runner, approval, startedRow } = slot;
  // A call that was started may have had its effect. Its error result therefore states that the outcome is unknown.
  const errors = errorTexts(ports);
  const refused = (text: string) => errorResult(startedRow === null ? text : errors.unknownOutcome(call.name));
  // A nested loop that was started runs again even if the run was stopped, because it has to end what it began.
  if (signal.aborted && (startedRow === null || runner?.nested === undefined))
    return refused(errors.stopped(call.name));
  if (maySkip && startedRow === null && plan.toolMode !== "parallel" && isSteered(ports)) {
    return errorResult(errors.skipped(call.name));
  }
  if (runner === undefined) return refused(errors.unknownTool(call.name, [...plan.tools.keys()]));
  const given = changed ?? call.arguments;
  if (typeof given === "string") return refused(errors.unparsedArguments(given));
  const checked = runner.check(given);
  if (!checked.ok) return refused(errors.invalidArguments(checked.problem));
  if (approval !== undefined && "refused" in approval) return approval.refused;
  return { runner, args: checked.args };
}

/** Writes the row that waits for an approval. Emits no event: the call starts when it is approved. */
function waitForApproval(slot: CallSlot, rule: ApprovalRule, context: CallContext): CallState {
  const { ports } = context;
  const now = ports.clock.now();
  const deadline = now + rule.deadlineMs * 1000;
  const awaits: AwaitedApproval = { kind: "approval", editable: rule.editable, deadline, delivered: null };
  ports.journal.append({ ...startedMessage(slot, context, now), awaits });
  return { waits_until: deadline };
}

/** Runs an approved call. A declined, expired or stopped call gets an error result. A call without a decision keeps waiting. */
async function continueAfterApproval(
  slot: CallSlot & { startedRow: MessageRecord },
  { delivered, deadline }: AwaitedApproval,
  context: CallContext,
): Promise<CallState> {
  const { ports, signal, events } = context;
  const { startedRow: row, call } = slot;
  const startedAt = ports.clock.now();
  const errors = errorTexts(ports);
  const endWithoutRunning = (error: string | ToolAnswer) => {
    const answer = typeof error === "string" ? errorResult(error) : error;
    emitStart(row, call.arguments, events);
    return storeResult(slot, { message: row, isNew: false, answer, startedAt }, context);
  };
  if (delivered?.approved === false) return endWithoutRunning(errors.declined(call.name, delivered.reason));
  if (signal.aborted) return endWithoutRunning(errors.stopped(call.name));
  if (delivered === null && deadline > ports.clock.now()) return { waits_until: deadline };
  if (delivered === null) return endWithoutRunning(errors.approvalTimedOut(call.name));
  const newCall = { ...slot, startedRow: null };
  const prepared = prepare(newCall, { ...context, maySkip: false }, delivered.args);
  if (!("args" in prepared)) return endWithoutRunning(prepared);
  if (ports.hooks.beforeCall !== undefined) {
    const { beforeCall } = ports.hooks;
    await ports.faults.at("call.before-approved");
    const allowed = await applyBeforeCall(newCall, prepared, { ...context, maySkip: false, beforeCall });
    if (!("args" in allowed)) return endWithoutRunning(allowed);
  }
  const message = recordApproval(row, { approval: delivered, args: delivered.args ?? call.arguments }, context);
  await ports.faults.at("call.approved");
  return runPrepared(newCall, { ...prepared, message, startedAt }, context);
}

/**
 * Writes the approval into the row, before the function runs. After a crash the call counts as started from here on. `args` are the
 * final arguments.
 */
function recordApproval(
  row: MessageRecord,
  { approval, args }: { approval: Approval; args: JsonObject | string },
  { ports, events }: CallContext,
): MessageRecord {
  const { awaits: _, ...kept } = row;
  emitStart(row, args, events);
  const started = { ...kept, approval, events: [...row.events, ...events.take()] };
  ports.journal.update(started);
  return started;
}

/**
 * Emits the start of a call, and writes its row before the tool runs. After a crash the row shows that the call may have had its effect.
 */
function recordStart(
  slot: CallSlot,
  prepared: ReadyCall | ToolAnswer,
  context: CallContext & { startedAt: number },
): MessageRecord {
  const { ports, events, startedAt } = context;
  const changed = "args" in prepared ? prepared.changed : undefined;
  const message = {
    ...startedMessage(slot, context, startedAt),
    ...(changed === undefined ? {} : { changed_args: changed }),
  };
  const { id, arguments: args } = slot.call;
  emitStart(message, changed ?? args, events);
  if (!("args" in prepared)) return message;
  const { awaits, events: drafts } = prepared.runner.nested?.begin({ id, args: prepared.args, message }) ?? {
    events: [],
  };
  for (const draft of drafts) events.emit(draft);
  const started = { ...message, ...(awaits === undefined ? {} : { awaits }), events: events.take() };
  ports.journal.append(started);
  return started;
}

/** Emits that a call starts, with its final arguments. */
function emitStart(row: MessageRecord, args: JsonObject | string, events: RowEvents): void {
  events.emit({
    type: "tool_execution_start",
    message_id: row.id,
    tool_call_id: row.tool_call_id ?? "",
    tool_name: row.name ?? "",
    args,
  });
}

/** The time at which an interrupted or waiting call started (microseconds). The time in which it waited for its approval does not count. */
function startTime(row: MessageRecord | null): number | undefined {
  return row?.events.find(({ type }) => type === "tool_execution_start")?.at ?? row?.created_at;
}

/** Executes a call whose start is recorded, and stores its result. The call of a nested loop may wait instead. */
async function runPrepared(
  slot: CallSlot,
  prepared: PreparedCall & { message: MessageRecord; startedAt: number },
  context: CallContext,
): Promise<CallState> {
  const { ports, events } = context;
  const { message, startedAt } = prepared;
  const { nested } = prepared.runner;
  if (nested === undefined) {
    const executions = ports.executions?.(message, slot.call.id, context);
    await ports.faults.at("call.execute");
    const answer = await execute(slot, { ...prepared, executions }, context);
    await ports.faults.at("call.executions");
    await executions?.close();
    const finished = { message, isNew: false, answer, startedAt, executions: executions?.totals() };
    return storeResult(slot, finished, context);
  }
  await ports.faults.at("call.nested");
  const outcome = await runNested(nested, { id: slot.call.id, args: prepared.args, message }, context);
  if (outcome.type === "suspend") {
    const added = events.take();
    if (added.length > 0)
      ports.journal.update({ ...currentRow(message, ports), events: [...message.events, ...added] });
    return { waits_until: outcome.until };
  }
  return storeResult(slot, { ...outcome, message: currentRow(message, ports), isNew: false, startedAt }, context);
}

async function runNested(
  nested: NestedRunner,
  call: Parameters<NestedRunner["run"]>[0],
  context: CallContext,
): Promise<NestedOutcome> {
  try {
    await context.ports.faults.at("call.run-nested");
    return await nested.run(call, context);
  } catch (thrown) {
    return { type: "answer", answer: thrownResult(thrown, context.ports.results) };
  }
}

/**
 * Runs the tool's function. An interrupted call runs again only if its tool is idempotent, or if the tool's `reconcile` finds that the call
 * had no effect.
 */
async function execute(
  slot: CallSlot,
  { runner, args, executions }: PreparedCall & { executions: ClosableExecutions | undefined },
  context: CallContext,
): Promise<ToolAnswer> {
  const { ports, events, signal } = context;
  const wasStarted = slot.startedRow !== null;
  if (wasStarted && !runner.idempotent) {
    if (runner.reconcile === null) return errorResult(errorTexts(ports).unknownOutcome(slot.call.name));
    await ports.faults.at("call.reconcile");
    const known = await reconcile(runner.reconcile(slot.call.id, args), runner, context);
    if (known !== null) return readToolAnswer(known, ports.results);
  }
  const call = { id: slot.call.id, attempt: wasStarted ? 2 : 1, ...(executions === undefined ? {} : { executions }) };
  const { clock, faults, hooks, results } = ports;
  const environment = { clock, faults, emit: (event: EventDraft) => events.emit(event), signal, results };
  let onUpdate: UpdateHook | undefined;
  if (hooks.updates !== undefined) {
    await faults.at("call.update-hook");
    onUpdate = await hooks.updates();
  }
  return executeTool(runner, { args, call, message_id: slot.id }, { ...environment, onUpdate });
}

/**
 * Waits for the outcome of an interrupted call, which the tool's `reconcile` finds out; null if the call had no effect. Without an outcome
 * in time, the result states that the outcome is unknown.
 */
async function reconcile(
  outcome: Promise<ToolAnswer | null>,
  { timeoutMs, spec }: ToolRunner,
  { ports, signal }: CallContext,
): Promise<ToolAnswer | null> {
  const giveUp = (): ToolAnswer => errorResult(errorTexts(ports).unknownOutcome(spec.name));
  const answer = outcome.catch(giveUp);
  await ports.faults.at("call.ask-outside");
  return waitWithin<ToolAnswer | null>(() => answer, {
    timers: ports.clock,
    milliseconds: timeoutMs,
    onTimeout: giveUp,
    // The outcome may show that the call had its effect, so a run that was stopped before still waits for it.
    abort: signal.aborted ? undefined : { signal, onAbort: giveUp },
  });
}

function errorTexts({ results = threadResults }: CallContext["ports"]): CallErrorTexts {
  return results.errors;
}

function startedMessage(slot: CallSlot, { ports, plan }: CallContext, at: number): MessageRecord {
  return {
    ...stepMessage(ports, plan, { id: slot.id, role: "tool", parts: [], at }),
    position: slot.position,
    name: slot.call.name,
    tool_call_id: slot.call.id,
    status: "started",
  };
}
