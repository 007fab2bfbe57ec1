// Writes that a run rests, and that it goes on. A rest in which a client has something to do is told and shown; one that
// waits for a child thread or the end of a back-off alone needs nobody and shows nothing (decision record 8).

import type { MessageRecord, PendingCall, RunRecord } from "#core/record.ts";

import type { ObjectContext } from "../object-context.ts";

/** The calls among a run's messages that wait for a client, in call order. */
export function pendingCalls(messages: readonly MessageRecord[]): PendingCall[] {
  const calls = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part] : [])));
  return messages.flatMap(({ status, awaits, tool_call_id }): PendingCall[] => {
    if (status !== "started" || awaits?.kind !== "remote" || awaits.delivered !== null) return [];
    const { kind, deadline } = awaits;
    const call = calls.findLast(({ id }) => id === tool_call_id);
    return call === undefined ? [] : [{ id: call.id, name: call.name, arguments: call.arguments, kind, deadline }];
  });
}

/** Records that a run rests until then (microseconds). Gives whether somebody outside has to act. */
export function recordRest(
  { live }: ObjectContext,
  run: RunRecord,
  { until, messages, mark }: { until: number; messages: readonly MessageRecord[]; mark: () => void },
): boolean {
  const pending = pendingCalls(messages);
  const isShown = pending.length > 0;
  const told = live.stage(isShown ? [{ type: "awaiting_tool_execution", run_id: run.id, tool_calls: pending }] : []);
  run.resume_at = until;
  if (isShown) run.status = "awaiting_tool_execution";
  run.events = [...run.events, ...told.stored];
  live.atomically(() => {
    live.store.updateRun(run);
    if (isShown) {
      live.change({ status: "awaiting_tool_execution", pending });
      mark();
    }
    live.save();
  });
  told.send();
  return isShown;
}

/** Records that a resting run is at work again. From here on a crash leaves a cut run, and no rest that is over. */
export function recordWake({ live }: ObjectContext, run: RunRecord): void {
  run.resume_at = null;
  const wasShown = run.status === "awaiting_tool_execution";
  run.status = "running";
  live.atomically(() => {
    live.store.updateRun(run);
    if (!wasShown) return;
    live.change({ status: "running", pending: [] });
    live.save();
  });
}
