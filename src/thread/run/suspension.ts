// Writes the suspension and the resumption of a run, and finds the calls that it waits for. If a client or a person has to act,
// `awaiting_tool_execution` is emitted, and the thread's row lists the open calls, including those of child threads. A run that waits only
// for a child thread or a back-off emits no event (decision record 8: suspended runs).

import type { PendingCall } from "#contract/thread.ts";
import type { WaitingCall } from "#core/record/awaited.ts";
import type { MessageRecord, StoredEvent } from "#core/record/record.ts";
import type { ExecutedRun, SuspendedRun } from "#core/record/run-record.ts";
import { withoutArguments } from "#core/record/stored-event.ts";
import { jsonBytes } from "#lib/cut-text.ts";

import { enqueueCalls } from "../children/outbound-messages.ts";
import type { LiveThread } from "../live/live-thread.ts";
import type { ThreadWakeups } from "../thread-ports.ts";
import { waitingKey } from "../webhook/waiting-body.ts";

/** The calls of a run that wait for a client or a person, in call order, including those of child threads. */
export function awaitedCalls(messages: readonly MessageRecord[]): WaitingCall[] {
  const calls = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part] : [])));
  return messages.flatMap(({ id: message_id, status, awaits, tool_call_id, approval, created_at }): WaitingCall[] => {
    if (status !== "started" || awaits === undefined || awaits.delivered !== null) return [];
    if (awaits.kind === "child") return (awaits.calls ?? []).map((call) => ({ ...call, message_id }));
    const { kind, deadline } = awaits;
    const call = calls.findLast(({ id }) => id === tool_call_id);
    if (call === undefined) return [];
    const { id, name, arguments: args } = call;
    const editable = kind === "approval" && awaits.editable ? ({ editable_arguments: true } as const) : {};
    // The result of a remote call is awaited from the approval on, if the call needed one.
    const since = approval?.at ?? created_at;
    return [{ id, name, arguments: args, kind, message_id, since, ...editable, deadline }];
  });
}

/**
 * The pending call of kind `limit` by which the API shows that a run is suspended at a limit; empty if it is suspended for another reason.
 * No message has this call. Raising the limit resumes the run.
 */
function limitCalls({ progress }: SuspendedRun, since: number): WaitingCall[] {
  const { limit } = progress.suspension;
  if (limit === null) return [];
  const { id, deadline, ...args } = limit;
  return [{ id, name: "limit", arguments: args, kind: "limit", since, deadline }];
}

/**
 * The maximum number of bytes of JSON of the calls' arguments in the thread's row, because the row is written often and copied to the
 * catalog (the deployment's index of all threads). Further arguments are left out.
 */
const mostArgumentBytes = 8 * 1024;

/** The corresponding maximum for the questions of child threads. No message contains the arguments of questions. */
const mostQuestionBytes = 32 * 1024;

function withinArgumentBytes(calls: readonly WaitingCall[]): PendingCall[] {
  const remaining = { calls: mostArgumentBytes, questions: mostQuestionBytes };
  return calls.map((call) => {
    const kind = call.kind === "question" ? "questions" : "calls";
    remaining[kind] -= jsonBytes(call.arguments ?? null);
    return remaining[kind] < 0 ? withoutArguments(call) : call;
  });
}

/** The maximum number of UTF-16 units of JSON of a run's events. Beyond that, the lists of calls of earlier suspensions are removed. */
const mostEventUnits = 500_000;

function withoutEarlierCalls(events: StoredEvent[]): StoredEvent[] {
  if (JSON.stringify(events).length <= mostEventUnits) return events;
  const last = events.at(-1);
  return events.map((event) =>
    event !== last && event.type === "awaiting_tool_execution" ? { ...event, tool_calls: [] } : event,
  );
}

/** The parts of a thread that show which calls wait. */
export interface SuspensionContext {
  live: LiveThread;
  wakeups: ThreadWakeups;
}

/** Writes a suspension of the run until a time (microseconds since epoch). Returns whether a client or a person has to act. */
export function recordSuspension(
  context: SuspensionContext,
  run: ExecutedRun,
  { until, messages }: { until: number; messages: readonly MessageRecord[] },
): boolean {
  const { live } = context;
  live.used(run, messages);
  const suspension = { resume_at: until, limit: run.progress.reached_limit };
  const suspended: SuspendedRun = { ...run, progress: { ...run.progress, suspension, reached_limit: null } };
  const calls = [...awaitedCalls(messages), ...limitCalls(suspended, live.clock.now())];
  if (calls.length === 0) {
    live.transaction(() => {
      live.store.updateRun(suspended);
      live.save();
    });
    return false;
  }
  writeOpenCalls(context, suspended, calls);
  return true;
}

/**
 * Writes and emits the open calls of a suspended run again if they changed. `row` is the call of this run that waits for a child thread;
 * the child has reported its own open calls in it.
 */
export function recordAwaitedCalls(context: SuspensionContext, run: SuspendedRun, row: MessageRecord): void {
  const { pending = [] } = context.live.record;
  const calls = [...pending.filter(({ message_id }) => message_id !== row.id), ...awaitedCalls([row])];
  const ids = (of: readonly { id: string }[]) => of.map(({ id }) => id).join();
  if (ids(calls) !== ids(pending)) writeOpenCalls(context, run, calls);
}

/** The calls that no earlier event of the run contains. */
function callsNotShown({ events }: SuspendedRun, calls: readonly WaitingCall[]): WaitingCall[] {
  const shown = new Set(
    events.flatMap(({ type, tool_calls }) =>
      type === "awaiting_tool_execution" ? (tool_calls as unknown as WaitingCall[]).map(waitingKey) : [],
    ),
  );
  return calls.filter((call) => !shown.has(waitingKey(call)));
}

/** Writes and emits the open calls. If there are none, the run stays suspended and its status is `running`. */
function writeOpenCalls({ live, wakeups }: SuspensionContext, run: SuspendedRun, calls: WaitingCall[]): void {
  const { steps, usage, cost } = run;
  const totals = { steps, usage, cost };
  const status = calls.length === 0 ? "running" : "awaiting_tool_execution";
  const begun = callsNotShown(run, calls);
  live.transaction(() => {
    const events = live.stage([{ type: "awaiting_tool_execution", run_id: run.id, tool_calls: calls, totals }]);
    run.status = status;
    run.events = withoutEarlierCalls([...run.events, ...events]);
    live.store.updateRun(run);
    live.change({ status, pending: withinArgumentBytes(calls) });
    wakeups.webhook?.add(begun);
    enqueueCalls(live);
    live.markForCatalog();
    live.save();
  });
}

/** Writes the resumption of a suspended run, and returns its record. A crash after this counts as an interruption of the run. */
export function recordResumption(live: LiveThread, run: SuspendedRun): ExecutedRun {
  const { limit } = run.progress.suspension;
  const resumed: ExecutedRun = {
    ...run,
    status: "running",
    progress: { ...run.progress, suspension: null, reached_limit: limit },
  };
  live.transaction(() => {
    live.store.updateRun(resumed);
    if (run.status === "running") return;
    live.change({ status: "running", pending: [] });
    enqueueCalls(live);
    // Updates the catalog, so that lists of threads show no answered calls.
    live.markForCatalog();
    live.save();
  });
  return resumed;
}
