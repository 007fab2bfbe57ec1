// One call from its first row to its result: prepare, execute, finalise. Every call ends with exactly one result, whatever
// happens to the tool; one whose answer comes from elsewhere rests in between, as its row. The call's events ride in that
// row too, so that whoever reads the row can tell the call again.

import type { EventDraft } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { AwaitedApproval } from "../awaited.ts";
import type { ApprovalRule, NestedOutcome, NestedRunner, ToolAnswer, ToolRunner } from "../ports/tool-port.ts";
import type { MessageRecord } from "../record.ts";
import { skipsCalls } from "../step/steer.ts";
import { askedFor, awaitedApproval, consented, recordConsent, tellStart } from "./approval.ts";
import type { CallContext, CallSlot, DrivenCall } from "./call-slot.ts";
import { finalise, latest } from "./finalise.ts";
import {
  brokenArguments,
  notAskedAnyMore,
  skippedCall,
  stoppedCall,
  unknownOutcome,
  unknownTool,
  wrongArguments,
} from "./outcome.ts";
import { perform } from "./perform.ts";
import { readAnswer, settleThrown } from "./settle.ts";

/** Runs one call to its stored result, or to its rest. Contract: never rejects. */
export async function runCall(slot: CallSlot, context: CallContext): Promise<DrivenCall> {
  const { ports } = context;
  const own = { ...context, events: context.events.fork() };
  const begun = begunAt(slot.left) ?? ports.clock.now();
  const row = slot.left;
  const awaits = awaitedApproval(row);
  if (row !== null && awaits !== null) {
    await ports.faults.at("call.consented");
    return runConsented({ ...slot, left: row }, awaits, own);
  }
  if (row?.awaits?.kind === "remote" && slot.runner?.remote !== true) {
    // A release gave the tool a function, or took the tool away: what a client said counts all the same.
    const answer = row.awaits.delivered?.answer ?? notAskedAnyMore(slot.call.name);
    return finalise(slot, { message: row, isNew: false, answer, begun }, own);
  }
  const prepared = prepare(slot, context);
  if (slot.consent !== undefined && "ask" in slot.consent && "args" in prepared) {
    return askConsent(slot, slot.consent.ask, own);
  }
  const message = row ?? recordStart(slot, prepared, { ...own, begun });
  if (!("args" in prepared)) {
    return finalise(slot, { message, isNew: row === null, answer: prepared, begun }, own);
  }
  await ports.faults.at("call.prepared");
  return runPrepared(slot, { ...prepared, message, begun }, own);
}

/** Writes the row that waits for a person, and tells nothing yet: the call begins with the consent. */
function askConsent(slot: CallSlot, rule: ApprovalRule, context: CallContext): DrivenCall {
  const { ports } = context;
  const now = ports.clock.now();
  const awaits = askedFor(rule, now);
  ports.journal.append({ ...startedMessage(slot, context, now), awaits });
  return { rests_until: awaits.deadline };
}

/** Goes on with a call that asked for a consent. */
async function runConsented(
  slot: CallSlot & { left: MessageRecord },
  awaits: AwaitedApproval,
  context: CallContext,
): Promise<DrivenCall> {
  const { ports } = context;
  const { left: row, call } = slot;
  const said = consented(call.name, awaits, context);
  if (said.type === "rest") return { rests_until: said.until };
  const begun = ports.clock.now();
  const withoutRunning = (answer: ToolAnswer) => {
    tellStart(row, call.arguments, context.events);
    return finalise(slot, { message: row, isNew: false, answer, begun }, context);
  };
  if (said.type === "answer") return withoutRunning(said.answer);
  const { approval } = said;
  const fresh = { ...slot, left: null };
  const prepared = prepare(fresh, { ...context, skippable: false }, approval.args);
  if (!("args" in prepared)) return withoutRunning(prepared);
  const message = recordConsent(row, { approval, args: approval.args ?? call.arguments }, context);
  await ports.faults.at("call.approved");
  return runPrepared(fresh, { ...prepared, message, begun }, context);
}

async function runPrepared(
  slot: CallSlot,
  prepared: Prepared & { message: MessageRecord; begun: number },
  own: CallContext,
): Promise<DrivenCall> {
  const { ports, events } = own;
  const { message, begun } = prepared;
  const { nested } = prepared.runner;
  if (nested === undefined) {
    await ports.faults.at("call.execute");
    const answer = await execute(slot, prepared, own);
    return finalise(slot, { message, isNew: false, answer, begun }, own);
  }
  await ports.faults.at("call.nested");
  const outcome = await performNested(nested, { id: slot.call.id, args: prepared.args, message }, own);
  if (outcome.type === "rest") {
    const kept = events.take();
    if (kept.length > 0) ports.journal.update({ ...latest(message, ports), events: [...message.events, ...kept] });
    return { rests_until: outcome.until };
  }
  return finalise(slot, { ...outcome, message: latest(message, ports), isNew: false, begun }, own);
}

type Prepared = { runner: ToolRunner; args: JsonObject };

/** `changed` are the arguments that whoever consented gave. */
function prepare(
  slot: CallSlot,
  { plan, signal, ports, skippable = false }: CallContext,
  changed = slot.left?.approval?.args,
): Prepared | ToolAnswer {
  const { call, runner, consent } = slot;
  // A call that was left began once, so whatever keeps it from running now says nothing about what it did then.
  const refused = (answer: ToolAnswer) => (slot.left === null ? answer : unknownOutcome);
  // A loop of its own is told of the stop: it has to end what it began.
  if (signal.aborted && (slot.left === null || runner?.nested === undefined)) return refused(stoppedCall);
  if (skippable && slot.left === null && skipsCalls(ports, plan.toolMode)) return skippedCall;
  if (runner === undefined) return refused(unknownTool(call.name, [...plan.tools.keys()]));
  const asked = changed ?? call.arguments;
  if (typeof asked === "string") return refused(brokenArguments(asked));
  const checked = runner.check(asked);
  if (!checked.ok) return refused(wrongArguments(checked.problem));
  if (consent !== undefined && "refused" in consent) return consent.refused;
  return { runner, args: checked.args };
}

/** When a call that was left began (microseconds): the time that it waited for a consent does not count. */
function begunAt(left: MessageRecord | null): number | undefined {
  return left?.events.find(({ type }) => type === "tool_execution_start")?.at ?? left?.created_at;
}

/** Tells the start; the ledger: a call that has effects is recorded as started before it starts. */
function recordStart(
  slot: CallSlot,
  prepared: Prepared | ToolAnswer,
  context: CallContext & { begun: number },
): MessageRecord {
  const { ports, events, begun } = context;
  const message = startedMessage(slot, context, begun);
  const { id, arguments: args } = slot.call;
  tellStart(message, args, events);
  if (!("args" in prepared)) return message;
  const { awaits, events: drafts } = prepared.runner.nested?.begin({ id, args: prepared.args, message }) ?? {
    events: [],
  };
  for (const draft of drafts) events.tell(draft);
  const started = { ...message, ...(awaits === undefined ? {} : { awaits }), events: events.take() };
  ports.journal.append(started);
  return started;
}

async function performNested(
  nested: NestedRunner,
  call: Parameters<NestedRunner["run"]>[0],
  context: CallContext,
): Promise<NestedOutcome> {
  try {
    await context.ports.faults.at("call.run-nested");
    return await nested.run(call, context);
  } catch (thrown) {
    return { type: "answer", answer: settleThrown(thrown, context.ports.resultBounds) };
  }
}

async function execute(slot: CallSlot, { runner, args }: Prepared, context: CallContext): Promise<ToolAnswer> {
  const attempt = slot.left === null ? 1 : 2;
  if (slot.left !== null && !runner.idempotent) {
    if (runner.reconcile === null) return unknownOutcome;
    await context.ports.faults.at("call.reconcile");
    const known = await reconciled(runner.reconcile(slot.call.id, args), runner.timeoutMs, context);
    if (known !== null) return readAnswer(known, context.ports.resultBounds);
  }
  const call = { id: slot.call.id, attempt };
  const { ports, events, signal } = context;
  const { clock, faults } = ports;
  const surroundings = {
    clock,
    faults,
    tell: (event: EventDraft) => events.tell(event),
    signal,
    bounds: ports.resultBounds,
  };
  return perform(runner, { args, call, message_id: slot.id }, surroundings);
}

/** The outcome of an interrupted call by its tool's `reconcile`. The outcome is unknown if there is none in time. */
async function reconciled(
  asked: Promise<ToolAnswer | null>,
  timeoutMs: number,
  { ports, signal }: CallContext,
): Promise<ToolAnswer | null> {
  const answered = asked.catch(() => unknownOutcome);
  const giveUp = (): ToolAnswer => unknownOutcome;
  await ports.faults.at("call.ask-outside");
  return waitWithin<ToolAnswer | null>(() => answered, {
    timers: ports.clock,
    milliseconds: timeoutMs,
    onTimeout: giveUp,
    // A run that is stopped already still waits for the outcome, which may show that the call had its effect.
    abort: signal.aborted ? undefined : { signal, onAbort: giveUp },
  });
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
    parent_id: ports.line.parent_id,
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
