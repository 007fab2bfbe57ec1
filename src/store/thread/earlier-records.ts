// Converts rows that schema 2 wrote when they are read: a step of the schema must not walk the rows, which may be many. A row is
// stored in its present shape with its next write.

import type { BackgroundRecord, QueueRecord, ThreadRecord } from "#core/record/record.ts";
import type { QueuedInput, RunProgress, RunRecord } from "#core/record/run-record.ts";

/** A run of schema 2: fields of one state were in every run. */
export interface EarlierRun extends Omit<RunProgress, "suspension" | "reached_limit"> {
  status: RunRecord["status"];
  queued: QueuedInput | null;
  resume_at: number | null;
  at_limit?: RunProgress["reached_limit"];
}

/** A thread of schema 2: the fields that are now in `queue`, `background` and `setup` were at its top level. */
export interface EarlierThread extends Omit<ThreadRecord, "queue" | "background" | "setup"> {
  queue: string[];
  steers?: number;
  held: boolean;
  overtaker?: QueueRecord["overtaker"];
  outbox: BackgroundRecord["catalog"];
  outgoing?: BackgroundRecord["outbound"];
  unclaimed?: BackgroundRecord["attachments"];
  unswept?: { failures: number; until: number } | null;
  session?: ThreadRecord["setup"];
}

/** Reads a run's row of this schema or of schema 2. */
export function currentRun(stored: RunRecord | EarlierRun): RunRecord {
  if ("progress" in stored) return stored;
  const { resume_at, at_limit = null, retry, context, ...withOptional } = stored;
  const { nested_retries, calls, chain, begun_children, grants, ...withCounts } = withOptional;
  const { driven_ms, turns, paid, raised, forced, stop_asked, ...run } = withCounts;
  const { queued } = run;
  if (queued !== null) return asRun({ ...run, queued: { ...queued, ...present({ calls, chain }) }, progress: null });
  const isActive = run.status === "running" || run.status === "awaiting_tool_execution";
  if (!isActive) return asRun({ ...run, progress: null });
  const suspension = resume_at === null ? null : { resume_at, limit: at_limit };
  const reached_limit = resume_at === null ? at_limit : null;
  const counts = { driven_ms, turns, paid, raised, forced, stop_asked };
  const progress = {
    suspension,
    reached_limit,
    retry,
    context,
    ...present({ nested_retries, calls, chain, begun_children, grants, ...counts }),
  };
  return asRun({ ...run, progress: progress as RunProgress });
}

/** Types the row as a run of one status. Its fields match its status, because the release that wrote the row stored them together. */
function asRun(run: Pick<RunRecord, "status" | "queued"> & { progress: RunProgress | null }): RunRecord {
  return run as RunRecord;
}

/** Reads the thread's row of this schema or of schema 2. */
export function currentThread(stored: ThreadRecord | EarlierThread): ThreadRecord {
  if ("background" in stored) return stored;
  const { queue, steers = 0, held, overtaker, session, ...withTasks } = stored;
  const { outbox, outgoing, unclaimed, unswept, ...thread } = withTasks;
  const sweep = unswept == null ? undefined : { failures: unswept.failures, at: unswept.until };
  return {
    ...thread,
    ...present({ setup: session }),
    queue: { run_ids: queue, steering: steers, paused: held, ...present({ overtaker }) },
    background: { catalog: outbox, ...present({ outbound: outgoing, attachments: unclaimed, sweep }) },
  };
}

/** The fields that are not undefined. */
function present<T extends object>(fields: T): { [F in keyof T]?: Exclude<T[F], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [F in keyof T]?: Exclude<T[F], undefined> };
}
