// Writes that a run rests, and that it goes on. A rest in which somebody outside has something to do is told and shown; one
// that waits for a child thread or the end of a back-off alone needs nobody and shows nothing (decision record 8).

import { withoutArguments } from "#contract/event.ts";
import type { AwaitedCall } from "#contract/event.ts";
import type { MessageRecord, RunRecord } from "#core/record.ts";

import type { ObjectContext } from "../object-context.ts";

/** The calls among a run's messages that wait for a client or a decision, in call order. */
export function awaitedCalls(messages: readonly MessageRecord[]): AwaitedCall[] {
  const calls = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part] : [])));
  return messages.flatMap(({ id: message_id, status, awaits, tool_call_id }): AwaitedCall[] => {
    if (status !== "started" || awaits === undefined || awaits.kind === "child" || awaits.delivered !== null) return [];
    const { kind, deadline } = awaits;
    const call = calls.findLast(({ id }) => id === tool_call_id);
    if (call === undefined) return [];
    const { id, name, arguments: args } = call;
    const editable = kind === "approval" && awaits.editable ? ({ editable_arguments: true } as const) : {};
    return [{ id, name, arguments: args, kind, message_id, ...editable, deadline }];
  });
}

/** Records that a run rests until then (microseconds). Gives whether somebody outside has to act. */
export function recordRest(
  { live }: ObjectContext,
  run: RunRecord,
  { until, messages, mark }: { until: number; messages: readonly MessageRecord[]; mark: () => void },
): boolean {
  const calls = awaitedCalls(messages);
  const isShown = calls.length > 0;
  const told = live.stage(isShown ? [{ type: "awaiting_tool_execution", run_id: run.id, tool_calls: calls }] : []);
  run.resume_at = until;
  if (isShown) run.status = "awaiting_tool_execution";
  run.events = [...run.events, ...told.stored];
  live.atomically(() => {
    live.store.updateRun(run);
    if (isShown) {
      // The thread's row is written often.
      const pending = calls.map(withoutArguments);
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
