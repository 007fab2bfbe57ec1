// Begins a run: its input takes its place and the run is recorded as running, in one transaction, before anybody is told.

import type { EventOf } from "#contract/event.ts";
import type { Limits, RunKind } from "#contract/run.ts";
import { nothingDone, notUnderWay } from "#core/blank-run.ts";
import type { MessageRecord, QueuedCall, QueuedInput, RunRecord, ThreadRecord } from "#core/record.ts";

import type { ObjectContext } from "../object-context.ts";
import { wholeMessage } from "../whole-message.ts";

/** What a run is made of. */
export interface NewRun {
  kind: RunKind;
  limits: Limits | null;
  input: MessageRecord | null;
  /** What else is known of the input. */
  waiting?: Omit<QueuedInput, "message">;
  /** The parent's run that this one answers a call of. */
  parentRunId?: string | null | undefined;
}

/** A run that is about to be recorded, queued or begun. */
export function newRun(
  { live, clock, settings }: ObjectContext,
  { kind, limits, input, waiting = {}, parentRunId = null }: NewRun,
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
    queued: { message: input, ...waiting },
    after_position: last_position,
    counts_before: counts,
    ...nothingDone(),
    limits,
    parent_run_id: parentRunId,
    version: settings.version,
    ...notUnderWay(),
  };
}

/** Where an input waits: behind all others, behind those that are to join the active run, or as the next one to begin. */
export type QueuePlace = "last" | "steers" | "first";

/**
 * Records a run that waits for the one that is active. `also` is written together with it. With a next one that was not
 * there before the active run is about to end: nothing joins it any more. Returns it as recorded.
 */
export function enqueueRun(
  { live }: ObjectContext,
  run: RunRecord,
  { place = "last", also = () => {} }: { place?: QueuePlace; also?: () => void } = {},
): RunRecord {
  const { queue: waiting } = live.record;
  const steers = steersOf(live.record);
  const at = { last: waiting.length, steers, first: 0 }[place];
  const queue = waiting.toSpliced(at, 0, run.id);
  return live.transaction(() => {
    const queued = { ...run, events: live.stage([{ type: "queue_changed", queued: queue }]) };
    live.store.insertRun(queued);
    live.change({ queue, steers: { last: steers, steers: steers + 1, first: 0 }[place] });
    also();
    live.save();
    return queued;
  });
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
  const passed = beginOrder(live.record, run.id);
  const message = run.queued?.message ?? null;
  return live.transaction(() => {
    const start = live.stage([
      // A run that waited leaves the queue as it begins.
      ...(trigger === "queue" ? [{ type: "queue_changed" as const, queued }] : []),
      { type: "run_start", ...of, agent_id, kind: run.kind, trigger, parent_run_id: run.parent_run_id },
    ]);
    const begun: RunRecord = {
      ...run,
      agent_id,
      status: "running",
      started_at: clock.now(),
      queued: null,
      after_position: last_position,
      counts_before: counts,
      events: [...run.events, ...start],
      ...(run.calls === undefined ? {} : { calls: run.calls.map((call): QueuedCall => ({ ...call, tried: true })) }),
      ...passed.run,
    };
    if (message !== null) {
      const input = { ...live.placed(message), run_id: run.id };
      live.insertMessage({ ...input, events: live.stage(wholeMessage(input)) });
    }
    if (isNew) live.store.insertRun(begun);
    else live.store.updateRun(begun);
    live.change({
      status: "running",
      active_run_id: run.id,
      active_totals: null,
      steers: 0,
      updated_at: clock.now(),
      ...passed.thread,
    });
    live.save();
    return begun;
  });
}

/** So many at the head of the queue are to join the run that is active. */
export function steersOf({ active_run_id, steers = 0 }: Pick<ThreadRecord, "active_run_id" | "steers">): number {
  return active_run_id === null ? 0 : steers;
}

/**
 * What a run and its thread store when the run begins in another order than it was admitted in: replay reads runs by their ids and
 * needs it (`replay/replay-start.ts`). `queue` is what waits after the run.
 */
export function beginOrder(
  { queue, overtaker = "" }: Pick<ThreadRecord, "queue" | "overtaker">,
  id: string,
): { run: Pick<RunRecord, "overtook" | "overtaken">; thread: Pick<ThreadRecord, "overtaker"> } {
  const lowest = queue.reduce((least, waiting) => (waiting < least ? waiting : least), id);
  return {
    run: { ...(lowest < id ? { overtook: lowest } : {}), ...(id < overtaker ? { overtaken: overtaker } : {}) },
    thread: lowest < id && id > overtaker ? { overtaker: id } : {},
  };
}
