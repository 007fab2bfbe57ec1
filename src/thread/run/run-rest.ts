// Writes that a run rests, and that it goes on. A rest in which somebody outside has something to do is told and shown; one
// that waits for a child thread or the end of a back-off alone needs nobody and shows nothing (decision record 8). What a
// child thread waits for from outside is shown here as well.

import { withoutArguments } from "#contract/event.ts";
import type { AwaitedCall } from "#contract/event.ts";
import type { PendingCall } from "#contract/thread.ts";
import { jsonBytes } from "#core/cut-text.ts";
import type { ExecutedRun, MessageRecord, StoredEvent, SuspendedRun } from "#core/record.ts";

import { markForCatalog } from "../background/catalog-task.ts";
import { enqueueCalls } from "../children/outbound-messages.ts";
import type { ObjectContext } from "../object-context.ts";

/** The calls among a run's messages that wait for a client or a decision, in call order, with those of child threads. */
export function awaitedCalls(messages: readonly MessageRecord[]): AwaitedCall[] {
  const calls = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part] : [])));
  return messages.flatMap(({ id: message_id, status, awaits, tool_call_id }): AwaitedCall[] => {
    if (status !== "started" || awaits === undefined || awaits.delivered !== null) return [];
    if (awaits.kind === "child") return (awaits.calls ?? []).map((call) => ({ ...call, message_id }));
    const { kind, deadline } = awaits;
    const call = calls.findLast(({ id }) => id === tool_call_id);
    if (call === undefined) return [];
    const { id, name, arguments: args } = call;
    const editable = kind === "approval" && awaits.editable ? ({ editable_arguments: true } as const) : {};
    return [{ id, name, arguments: args, kind, message_id, ...editable, deadline }];
  });
}

/** The call that stands for the limit a run rests at: it is answered by raising that. */
function limitCalls({ progress }: SuspendedRun): AwaitedCall[] {
  const { limit } = progress.suspension;
  if (limit === null) return [];
  const { id, deadline, ...args } = limit;
  return [{ id, name: "limit", arguments: args, kind: "limit", deadline }];
}

/** Bytes of JSON that arguments take in the thread's row, which is written often and copied to the list of threads. */
const argumentRoom = 8 * 1024;

function withRoom(calls: readonly AwaitedCall[]): PendingCall[] {
  let room = argumentRoom;
  return calls.map((call) => {
    room -= jsonBytes(call.arguments ?? null);
    return room < 0 ? withoutArguments(call) : call;
  });
}

/** UTF-16 units of JSON of a run's events, above which what earlier rests waited for is not told again. */
const eventRoom = 500_000;

function withRoomForRests(events: StoredEvent[]): StoredEvent[] {
  if (JSON.stringify(events).length <= eventRoom) return events;
  const last = events.at(-1);
  return events.map((event) =>
    event !== last && event.type === "awaiting_tool_execution" ? { ...event, tool_calls: [] } : event,
  );
}

/** Records that a run rests until then (microseconds). Gives whether somebody outside has to act. */
export function recordRest(
  context: Pick<ObjectContext, "live">,
  run: ExecutedRun,
  { until, messages }: { until: number; messages: readonly MessageRecord[] },
): boolean {
  context.live.used(run, messages);
  const suspension = { resume_at: until, limit: run.progress.reached_limit };
  const suspended: SuspendedRun = { ...run, progress: { ...run.progress, suspension, reached_limit: null } };
  const calls = [...awaitedCalls(messages), ...limitCalls(suspended)];
  if (calls.length === 0) {
    const { live } = context;
    live.transaction(() => {
      live.store.updateRun(suspended);
      live.save();
    });
    return false;
  }
  show(context, suspended, calls);
  return true;
}

/** Records what a resting run waits for by now, where a child said so in the row of its call. Tells what changed. */
export function recordAwaited(context: Pick<ObjectContext, "live">, run: SuspendedRun, row: MessageRecord): void {
  const { pending = [] } = context.live.record;
  const calls = [...pending.filter(({ message_id }) => message_id !== row.id), ...awaitedCalls([row])];
  const ids = (of: readonly { id: string }[]) => of.map(({ id }) => id).join();
  if (ids(calls) !== ids(pending)) show(context, run, calls);
}

/** None left: the run still rests, and needs nobody outside. */
function show({ live }: Pick<ObjectContext, "live">, run: SuspendedRun, calls: AwaitedCall[]): void {
  const { steps, usage, cost } = run;
  const totals = { steps, usage, cost };
  const status = calls.length === 0 ? "running" : "awaiting_tool_execution";
  live.transaction(() => {
    const events = live.stage([{ type: "awaiting_tool_execution", run_id: run.id, tool_calls: calls, totals }]);
    run.status = status;
    run.events = withRoomForRests([...run.events, ...events]);
    live.store.updateRun(run);
    live.change({ status, pending: withRoom(calls) });
    enqueueCalls(live);
    markForCatalog(live);
    live.save();
  });
}

/** Records that a suspended run resumes, and returns it so. After a crash from here on it is an interrupted run. */
export function recordWake({ live }: Pick<ObjectContext, "live">, run: SuspendedRun): ExecutedRun {
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
    // Whoever looks at the list for what waits is not to find what is decided.
    markForCatalog(live);
    live.save();
  });
  return resumed;
}
