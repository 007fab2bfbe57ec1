// One structured line for each run in the Worker's log.

import type { Halt } from "#core/loop.ts";
import type { RunRecord } from "#core/record.ts";
import type { MeterReading } from "#store/meter.ts";

import type { ObjectContext } from "../object-context.ts";

/** Writes the line: what ran, how it ended, what it cost in tokens and rows. No content, no secrets. */
export function logRunLine(
  { live, clock }: ObjectContext,
  run: RunRecord,
  { halt, rows }: { halt: Halt; rows: MeterReading },
): void {
  const line = {
    event: halt.type === "end" ? "run_end" : "run_rest",
    thread_id: live.record.id,
    run_id: run.id,
    agent: run.agent_id,
    version: run.version,
    status: halt.type === "end" ? halt.end.status : "resting",
    reason: halt.type === "end" ? halt.end.reason : null,
    ms: Math.round((clock.now() - (run.started_at ?? run.created_at)) / 1000),
    usage: run.usage,
    cost: run.cost,
    rows_read: rows.rowsRead,
    rows_written: rows.rowsWritten,
  };
  console.log(JSON.stringify(line));
}
