// Begins a run: its input takes its place and the run is recorded as running, in one transaction, before anybody is told.

import type { EventOf } from "#contract/event.ts";
import type { Limits, RunKind } from "#contract/run.ts";
import { noProgress, nothingDone } from "#core/blank-run.ts";
import type {
  ExecutedRun,
  MessageRecord,
  QueuedCall,
  QueuedInput,
  QueuedRun,
  QueueRecord,
  RunRecord,
  ThreadRecord,
} from "#core/record.ts";

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
): QueuedRun {
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
    stop: false,
    events: [],
    progress: null,
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
  run: QueuedRun,
  { place = "last", also = () => {} }: { place?: QueuePlace; also?: () => void } = {},
): QueuedRun {
  const { queue } = live.record;
  const steers = countSteering(live.record);
  const at = { last: queue.run_ids.length, steers, first: 0 }[place];
  const run_ids = queue.run_ids.toSpliced(at, 0, run.id);
  return live.transaction(() => {
    const queued = { ...run, events: live.stage([{ type: "queue_changed", queued: run_ids }]) };
    live.store.insertRun(queued);
    live.change({ queue: { ...queue, run_ids, steering: { last: steers, steers: steers + 1, first: 0 }[place] } });
    also();
    live.save();
    return queued;
  });
}

/** How a run begins. */
export interface Beginning {
  trigger: EventOf<"run_start">["trigger"];
  /** The run has no row yet. */
  isNew: boolean;
}

/** Records a run as running and emits its beginning. Returns it as recorded. */
export function beginRun(context: ObjectContext, run: QueuedRun, { trigger, isNew }: Beginning): ExecutedRun {
  const { live, clock } = context;
  const { agent_id, last_position, counts, queue } = live.record;
  const of = { run_id: run.id };
  const passed = beginOrder(queue, run.id);
  const { message } = run.queued;
  return live.transaction(() => {
    const start = live.stage([
      // A run that waited leaves the queue as it begins.
      ...(trigger === "queue" ? [{ type: "queue_changed" as const, queued: queue.run_ids }] : []),
      { type: "run_start", ...of, agent_id, kind: run.kind, trigger, parent_run_id: run.parent_run_id },
    ]);
    const begun: ExecutedRun = {
      ...run,
      agent_id,
      status: "running",
      started_at: clock.now(),
      queued: null,
      after_position: last_position,
      counts_before: counts,
      events: [...run.events, ...start],
      progress: progressOf(run.queued),
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
      queue: { ...queue, steering: 0, ...passed.queue },
      updated_at: clock.now(),
    });
    live.save();
    return begun;
  });
}

/** The progress of a run that begins. It has tried its queued calls: no other run gets them if this one fails. */
function progressOf({ calls, chain }: QueuedInput): ExecutedRun["progress"] {
  return {
    ...noProgress(),
    ...(calls === undefined ? {} : { calls: calls.map((call): QueuedCall => ({ ...call, tried: true })) }),
    ...(chain === undefined ? {} : { chain }),
  };
}

/** The number of runs at the head of the queue that are to join the active run. */
export function countSteering({ active_run_id, queue }: Pick<ThreadRecord, "active_run_id" | "queue">): number {
  return active_run_id === null ? 0 : queue.steering;
}

/**
 * What a run and the queue store when the run begins in another order than it was admitted in: replay reads runs by their ids and
 * needs it (`replay/replay-start.ts`). `run_ids` are the runs that wait after the run.
 */
export function beginOrder(
  { run_ids, overtaker = "" }: Pick<QueueRecord, "run_ids" | "overtaker">,
  id: string,
): { run: Pick<RunRecord, "overtook" | "overtaken">; queue: Pick<QueueRecord, "overtaker"> } {
  const lowest = run_ids.reduce((least, waiting) => (waiting < least ? waiting : least), id);
  return {
    run: { ...(lowest < id ? { overtook: lowest } : {}), ...(id < overtaker ? { overtaken: overtaker } : {}) },
    queue: lowest < id && id > overtaker ? { overtaker: id } : {},
  };
}
