// Recovers a run that a crash interrupted: restores its state from its rows, and retracts output that was emitted and not stored. A run
// that is interrupted repeatedly without progress is ended.

import type { ToolCallPart } from "#contract/content.ts";
import type { EventDraft } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { Side } from "#contract/thread-message.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { ScopedProjection } from "#core/ports/step-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { ActiveRun, ExecutedRun } from "#core/record/run-record.ts";
import {
  addChildUsage,
  addModelUsage,
  childUsageFields,
  committedSteps,
  endsStep,
  neverStarted,
  stepOf,
} from "#core/record/run-state.ts";
import type { CommittedSteps, OpenStep, ModelUsage } from "#core/record/run-state.ts";
import { isAnswer, isInScope } from "#core/record/scope.ts";
import type { Scope } from "#core/record/scope.ts";
import { wholeMessage } from "#core/record/whole-message.ts";
import { awaitedApproval } from "#core/tools/call-slot.ts";
import { declined, stoppedCall, notAnswered, unknownOutcome } from "#core/tools/error-results.ts";
import { fitResult } from "#core/tools/read-result.ts";
import { withoutChangedArguments, childUsage } from "#core/tools/store-result.ts";
import { recordedTurns } from "#flow/strategy/conversation-strategy.ts";

import { enqueueMessage } from "../children/outbound-messages.ts";
import { appendMessages } from "../live/append-messages.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import { dropQuestions } from "./questions.ts";
import { recordedProjections } from "./thread-projections.ts";

/**
 * The number of recoveries without a newly written step after which a run is ended (architecture §5; docs/reference/figures.md: Recovery).
 */
const recoveryAttempts = 5;

/** The recovered run. `again`: it resumes. `given_up`: it ends. */
export type Recovered = { type: "again"; run: ExecutedRun } | { type: "given_up"; run: ExecutedRun };

/** Recovers a run, and logs the recovery. */
export function recoverRun(context: DeployedThread, run: ExecutedRun): Recovered {
  const { live } = context;
  const { clock } = context.deployment;
  const logs = runLogs(context.live, run);
  const tries = restartsSinceProgress(logs) + 1;
  const messages = live.store.messagesAfter(run.branch, run.after_position);
  const rebuilt = rebuild(run, logs, messages);
  live.used(rebuilt, messages);
  const retraction: EventDraft = { type: "message_retracted", run_id: run.id, reason: "recovery" };
  if (tries > recoveryAttempts) {
    live.emit([retraction, ...dropQuestions(live, run.id)]);
    return { type: "given_up", run: rebuilt };
  }
  live.transaction(() => {
    live.store.insertLog({
      id: live.uuids.next(),
      type: "recovery",
      run_id: run.id,
      parent_id: null,
      depth: 0,
      created_at: clock.now(),
      data: { what: "restart", attempt: tries },
      events: live.stage([retraction, ...dropQuestions(live, run.id)]),
    });
    live.save();
  });
  return { type: "again", run: rebuilt };
}

/** Restores a run that will not resume: its usage and `state.context` are read from its log rows and messages. */
export function leftRun(live: LiveThread, run: ActiveRun): ActiveRun {
  return rebuild(run, runLogs(live, run), live.store.messagesAfter(run.branch, run.after_position));
}

/** The progress of an interrupted run according to its log rows. */
export interface LeftAt {
  /** The committed progress of the main loop and of each nested loop. */
  committed: (scope: Scope) => CommittedSteps;
  /** Whether a definition called `execution.stop()`. */
  stopAsked: boolean;
  /** The side, `a` or `b`, that a definition chose for the next turn (`forceTurn`), if no step was written since; else null. */
  forced: Side | null;
  /** The projections of the run's steps: which messages their requests contained after a compaction. Oldest first. */
  projections: readonly ScopedProjection[];
}

/** The progress of a run without steps. */
export const notBegun: LeftAt = { committed: committedSteps([]), stopAsked: false, forced: null, projections: [] };

/** Reads the progress of an interrupted run from its rows. */
export function leftAt(live: LiveThread, run: ExecutedRun): LeftAt {
  const logs = runLogs(live, run);
  const lastStep = logs.findLast((log) => endsStep(log) && isOfMainLoop(log))?.id ?? "";
  return {
    committed: committedSteps(logs),
    stopAsked: run.progress.stop_asked === true || logs.some((log) => log.data["stop_asked"] === true),
    forced: run.progress.forced !== undefined && run.progress.forced.at > lastStep ? run.progress.forced.side : null,
    projections: recordedProjections(logs),
  };
}

/** Whether a log row is of the run's main loop, and not of a nested loop. */
function isOfMainLoop({ data }: LogRecord): boolean {
  return typeof data["under"] !== "string";
}

/** Stores an error result for each open call of a run that ends without resuming: every call needs a result (architecture §4). */
export function closeOpenCalls({ live, deployment: { clock } }: DeployedThread, run: ActiveRun): void {
  for (const { open, call } of openCalls(live.store.messagesAfter(run.branch, run.after_position))) {
    const row = open.results.find((message) => message.tool_call_id === call.id);
    const { awaits } = row ?? {};
    const decided = awaitedApproval(row ?? null)?.delivered ?? null;
    const approval = decided === null ? row?.approval : withoutChangedArguments(decided);
    const spent = row === undefined ? null : childUsage(row);
    if (spent !== null) addChildUsage(run, spent);
    else if (awaits?.kind === "child") {
      // The result of the child thread is not needed any more.
      enqueueMessage(live, { type: "stop", thread_id: awaits.thread_id });
    }
    const { stack: _, ...result } = fitResult(resultOfOpen(row));
    const id = row?.id ?? live.uuids.next();
    const message: MessageRecord = {
      ...open.answer,
      id,
      position: row?.position ?? id,
      role: "tool",
      parts: [{ type: "text", text: result.error ?? result.result ?? "" }],
      name: call.name,
      tool_call_id: call.id,
      stop_reason: null,
      model: null,
      usage: null,
      cost: null,
      ...(spent === null ? {} : childUsageFields(spent)),
      ...(awaits?.kind === "child" ? { child: awaits.thread_id } : {}),
      ...answeredOf(row),
      ...(approval === undefined ? {} : { approval }),
      result,
      status: "complete",
      metadata: {},
      updated_at: clock.now(),
      events: [],
    };
    if (row === undefined) appendMessages(live, [message]);
    else live.emit(wholeMessage(message), () => live.store.updateMessage(message));
  }
}

/**
 * The `answered` field of the closed call. It marks a call that waited for a client, so that a late answer gets the error for ended calls.
 */
function answeredOf(row: MessageRecord | undefined): Pick<MessageRecord, "answered"> {
  const { answered, awaits } = row ?? {};
  if (answered !== undefined) return { answered };
  return awaits?.kind === "remote" || awaits?.kind === "approval" ? { answered: "" } : {};
}

/** The result of a call that did not end. Images and files of a posted result are lost, because the loop does not store them any more. */
function resultOfOpen(row: MessageRecord | undefined): ToolAnswer {
  if (row === undefined) return stoppedCall;
  const { awaits } = row;
  if (awaits === undefined && neverStarted(row)) return notAnswered;
  if (awaits?.kind === "approval") {
    return awaits.delivered?.approved === false ? declined(row.name ?? "", awaits.delivered.reason) : notAnswered;
  }
  return awaits?.kind === "remote" ? (awaits.delivered?.answer ?? notAnswered) : unknownOutcome;
}

/** The calls without a result, of the run's main loop and of its nested loops. */
function openCalls(messages: readonly MessageRecord[]): { open: OpenStep; call: ToolCallPart }[] {
  return messages.filter(isAnswer).flatMap((answer) => {
    const line = { depth: answer.depth, parent_id: answer.parent_id };
    const behind = messages.filter((message) => isInScope(line, message) && message.position > answer.position);
    const open = stepOf(answer, behind);
    const done = new Set(open.results.filter(({ status }) => status === "complete").map((row) => row.tool_call_id));
    return open.calls.filter((call) => !done.has(call.id)).map((call) => ({ open, call }));
  });
}

/** The run's log rows, oldest first. */
function runLogs(live: LiveThread, run: ActiveRun): LogRecord[] {
  return live.store.logs({ order: "asc", limit: 100_000, beyond: run.id, runId: run.id });
}

/**
 * The number of recoveries since the last written step. Other log rows do not count as progress: a hook that writes log rows, or failed
 * attempts, would let the run restart without end.
 */
function restartsSinceProgress(logs: readonly LogRecord[]): number {
  const progress = logs.findLastIndex(endsStep);
  return logs.slice(progress + 1).filter((log) => log.type === "recovery" && log.data["what"] === "restart").length;
}

/** Restores the fields that the run's row lacks while the run is executed: tokens, cost, `state.context`. */
function rebuild<R extends ActiveRun>(run: R, logs: readonly LogRecord[], messages: readonly MessageRecord[]): R {
  const { requests: _, ...kept } = run.progress;
  const rebuilt: R = { ...run, usage: zeroUsage, cost: 0, spent: {}, progress: { ...kept, paid: 0 } };
  const logged = new Set<unknown>();
  for (const log of logs) {
    const { type, data } = log;
    if (typeof data["context"] === "object") rebuilt.progress.context = data["context"] as JsonObject;
    rebuilt.progress.driven_ms = Math.max(rebuilt.progress.driven_ms ?? 0, countIn(data["driven_ms"]));
    const turns = isOfMainLoop(log) ? countIn(recordedTurns(data["session"])) : 0;
    rebuilt.progress.turns = Math.max(rebuilt.progress.turns ?? 0, turns);
    if (type !== "llm_request") continue;
    logged.add(data["message_id"]);
    // `attemptLog` wrote the row: these fields are the usage of the attempt.
    addModelUsage(rebuilt, data as unknown as ModelUsage);
    // The message of a step's answer counts the requests that continued it.
    const continued = typeof data["message_id"] === "string" ? 0 : countIn(data["continuations"]);
    const requests = (typeof data["execution"] === "string" ? 1 : 0) + continued;
    if (requests > 0) rebuilt.progress.requests = (rebuilt.progress.requests ?? 0) + requests;
  }
  for (const { id, usage, cost, model } of messages) {
    if (usage === null) continue;
    if (model === null) addChildUsage(rebuilt, { usage, cost });
    else if (!logged.has(id)) addModelUsage(rebuilt, { usage, cost, model });
  }
  return rebuilt;
}

/** A count from a log row; 0 if the value is no count, as an imported row may have. */
function countIn(value: Json | undefined): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
