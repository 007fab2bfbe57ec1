// Begins a run: its input takes its place and the run is recorded as running, in one transaction, before anybody is told.

import type { EventOf } from "#contract/event.ts";
import type { Limits, RunKind } from "#contract/run.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { MessageRecord, RunRecord } from "#core/record.ts";

import { wholeMessage } from "../live-thread.ts";
import type { ObjectContext } from "../object-context.ts";

/** What a run is made of. */
export interface NewRun {
  kind: RunKind;
  limits: Limits | null;
  input: MessageRecord | null;
  /** The parent's run that this one answers a call of. */
  parentRunId?: string | null | undefined;
}

/** A run that is about to be recorded, queued or begun. */
export function newRun(
  { live, clock, settings }: ObjectContext,
  { kind, limits, input, parentRunId = null }: NewRun,
): RunRecord {
  const { branch, agent_id, last_position, counts } = live.record;
  return {
    id: live.uuids.next(),
    branch,
    status: "queued",
    kind,
    agent_id,
    created_at: clock.now(),
    started_at: null,
    ended_at: null,
    queued: { message: input },
    after_position: last_position,
    counts_before: counts,
    steps: 0,
    usage: zeroUsage,
    cost: 0,
    spent: {},
    text: null,
    reason: null,
    outcome: null,
    error: null,
    message_ids: [],
    limits,
    parent_run_id: parentRunId,
    version: settings.version,
    stop: false,
    resume_at: null,
    retry: null,
    context: {},
    events: [],
  };
}

/** Records a run that waits for the one that is active, behind those that wait already. Returns it as recorded. */
export function enqueueRun({ live }: ObjectContext, run: RunRecord): RunRecord {
  const queue = [...live.record.queue, run.id];
  const told = live.stage([{ type: "queue_changed", queued: queue }]);
  const queued = { ...run, events: told.stored };
  live.atomically(() => {
    live.store.insertRun(queued);
    live.change({ queue });
    live.save();
  });
  told.send();
  return queued;
}

/** Records a run as running and tells its beginning. `isNew` when it has no row yet. Returns it as recorded. */
export function beginRun(
  context: ObjectContext,
  run: RunRecord,
  { trigger, isNew }: { trigger: EventOf<"run_start">["trigger"]; isNew: boolean },
): RunRecord {
  const { live, clock } = context;
  const { agent_id, last_position, counts } = live.record;
  const of = { run_id: run.id };
  const queued = live.record.queue;
  const start = live.stage([
    // A run that waited leaves the queue as it begins.
    ...(trigger === "queue" ? [{ type: "queue_changed" as const, queued }] : []),
    { type: "run_start", ...of, agent_id, kind: run.kind, trigger, parent_run_id: run.parent_run_id },
  ]);
  const message = run.queued?.message ?? null;
  const input = message === null ? null : { ...live.placed(message), run_id: run.id };
  const told = input === null ? null : live.stage(wholeMessage(input));
  const begun: RunRecord = {
    ...run,
    agent_id,
    status: "running",
    started_at: clock.now(),
    queued: null,
    after_position: last_position,
    counts_before: counts,
    events: [...run.events, ...start.stored],
  };
  live.atomically(() => {
    if (input !== null && told !== null) {
      const placed = { ...input, events: told.stored };
      live.store.insertMessage(placed);
      live.joined(placed);
    }
    if (isNew) live.store.insertRun(begun);
    else live.store.updateRun(begun);
    live.change({ status: "running", active_run_id: run.id, updated_at: clock.now() });
    live.save();
  });
  start.send();
  told?.send();
  return begun;
}
