// What an export and an import do with each field of a record. The tables list every field: a new field of a record does not compile
// until it is added here, so no field leaves the deployment by accident.

import type { LogRecord, MessageRecord, ThreadRecord } from "../record/record.ts";
import type { RunRecord } from "../record/run-record.ts";

/**
 * - `carried`: in the export, and the same in the imported thread.
 * - `counted`: not in the export; the import counts it from the exported records.
 * - `replaced`: not in the export; the import sets a new value.
 * - `omitted`: not in the export nor in the imported thread. The field concerns other threads, which are not in the export, or the active
 *   run, which the import ends.
 */
export type ExportPolicy = "carried" | "counted" | "replaced" | "omitted";

/** The fields of a table that are in the export. */
export type Carried<Table> = { [Field in keyof Table]: Table[Field] extends "carried" ? Field : never }[keyof Table];

/**
 * A message. What a call waits for is left out: the child thread is not in the export, and the child's result goes to the original thread.
 */
export const messagePolicies = {
  id: "carried",
  branch: "carried",
  position: "carried",
  role: "carried",
  parts: "carried",
  name: "carried",
  tool_call_id: "carried",
  parent_id: "carried",
  depth: "carried",
  silent: "carried",
  metadata: "carried",
  run_id: "carried",
  step: "carried",
  side: "carried",
  status: "carried",
  stop_reason: "carried",
  model: "carried",
  usage: "carried",
  cost: "carried",
  result: "carried",
  created_at: "carried",
  updated_at: "carried",
  edited_at: "carried",
  events: "carried",
  handoff: "carried",
  // Only the run that this message joined uses the field, and the import ends that run.
  steered: "omitted",
  author: "carried",
  strategy: "carried",
  awaits: "omitted",
  // Only a resumed run reads the field, and the import ends the run.
  failure: "omitted",
  stop_detail: "omitted",
  has_other_content: "omitted",
  answered: "carried",
  approval: "carried",
  changed_args: "carried",
  reused_from: "carried",
  // Only used to add later costs of the child thread. That thread reports them to the original thread, not to the imported one.
  child: "omitted",
  work: "omitted",
  updated_seq: "omitted",
} as const satisfies Record<keyof MessageRecord, ExportPolicy>;

/** A run. The progress of an active run is left out: the import ends that run and repeats nothing. */
export const runPolicies = {
  id: "carried",
  branch: "carried",
  status: "carried",
  kind: "carried",
  agent_id: "carried",
  created_at: "carried",
  started_at: "carried",
  ended_at: "carried",
  queued: "carried",
  after_position: "carried",
  steps: "carried",
  usage: "carried",
  cost: "carried",
  spent: "carried",
  work: "carried",
  text: "carried",
  reason: "carried",
  outcome: "carried",
  data: "carried",
  error: "carried",
  message_ids: "carried",
  limits: "carried",
  structure: "carried",
  repeat: "carried",
  parent_run_id: "carried",
  version: "carried",
  stop: "carried",
  side: "carried",
  joined: "carried",
  overtook: "carried",
  overtaken: "carried",
  events: "carried",
  counts_before: "counted",
  progress: "omitted",
} as const satisfies Record<keyof RunRecord, ExportPolicy>;

/** A log row. */
export const logPolicies = {
  id: "carried",
  type: "carried",
  run_id: "carried",
  parent_id: "carried",
  depth: "carried",
  created_at: "carried",
  data: "carried",
  events: "carried",
} as const satisfies Record<keyof LogRecord, ExportPolicy>;

/** The thread. Its relations to other threads are left out. */
export const threadPolicies = {
  id: "carried",
  agent_id: "carried",
  origin_agent_id: "carried",
  user_id: "carried",
  title: "carried",
  titled_by: "carried",
  tags: "carried",
  metadata: "carried",
  status: "carried",
  created_at: "carried",
  updated_at: "carried",
  active_run_id: "carried",
  // Carried except for its field `steering`: the import ends the run that those inputs would have joined.
  queue: "carried",
  branch: "carried",
  last_seq: "carried",
  last_position: "carried",
  last_message: "carried",
  setup: "carried",
  counts: "counted",
  usage: "counted",
  cost: "counted",
  work: "counted",
  // The import ends the active run.
  active_totals: "omitted",
  seq_reserved: "replaced",
  background: "replaced",
  creation: "replaced",
  imported_at: "replaced",
  parent: "omitted",
  // Derived from the messages: the first long run of the imported thread compacts its conversation again.
  projections: "omitted",
  children: "omitted",
  // The calls that wait for a client belong to the active run, which the import ends.
  pending: "omitted",
  // The imported thread has no authorizations, and its next run finds out which ones it needs.
  authorizations: "omitted",
  updated_seq: "omitted",
  // Exported as a line of its own, like the events that have a row.
  branch_event: "omitted",
  // A thread that is being deleted cannot be exported.
  deletion: "omitted",
} as const satisfies Record<keyof ThreadRecord, ExportPolicy>;

/** The fields of a record that its table marks as `carried`. Fields that the record lacks are not added. */
export function carriedOf<RecordType extends object, Table extends Record<keyof RecordType, ExportPolicy>>(
  record: RecordType,
  table: Table,
): Pick<RecordType, Carried<Table> & keyof RecordType> {
  const kept = Object.entries(record).filter(([field]) => (table as Record<string, ExportPolicy>)[field] === "carried");
  return Object.fromEntries(kept) as Pick<RecordType, Carried<Table> & keyof RecordType>;
}
