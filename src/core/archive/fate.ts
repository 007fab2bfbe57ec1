// What becomes of each field of a record in an export, and in the copy an import makes of it. The tables name every field
// there is: one that is added to a record does not compile before somebody has decided about it, and none leaves the
// deployment by accident.

import type { LogRecord, MessageRecord, RunRecord, ThreadRecord } from "../record.ts";

/**
 * - `carried`: in the export, and the same in the copy.
 * - `counted`: not in the export; the copy counts it from the records that are.
 * - `anew`: not in the export; the copy begins with a value of its own.
 * - `left`: not in the export, and the copy lacks it. It speaks of other threads, which are not in the file, or of work
 *   under way, which ends in the copy.
 */
export type Fate = "carried" | "counted" | "anew" | "left";

/** Fields of a table that are in the export. */
export type Carried<Table> = { [Field in keyof Table]: Table[Field] extends "carried" ? Field : never }[keyof Table];

/** A message. What a call waits for is left: its child thread is not in the file, and its answer goes to the original. */
export const messageFate = {
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
  events: "carried",
  handoff: "carried",
  // Only for the run it joined, and that has ended in the copy.
  steered: "left",
  author: "carried",
  awaits: "left",
  // Only for a run that is taken up behind it, and that has ended in the copy.
  failure: "left",
  stop_detail: "left",
  has_other_content: "left",
  answered: "carried",
  approval: "carried",
  // Only there to count what the child still comes to cost, and that is told to the original.
  child: "left",
  work: "left",
  updated_seq: "left",
} as const satisfies Record<keyof MessageRecord, Fate>;

/** A run. The progress of an active one is left: that run ends in the copy and repeats nothing. */
export const runFate = {
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
  error: "carried",
  message_ids: "carried",
  limits: "carried",
  parent_run_id: "carried",
  version: "carried",
  stop: "carried",
  side: "carried",
  joined: "carried",
  overtook: "carried",
  overtaken: "carried",
  events: "carried",
  counts_before: "counted",
  progress: "left",
} as const satisfies Record<keyof RunRecord, Fate>;

/** A log row. */
export const logFate = {
  id: "carried",
  type: "carried",
  run_id: "carried",
  parent_id: "carried",
  depth: "carried",
  created_at: "carried",
  data: "carried",
  events: "carried",
} as const satisfies Record<keyof LogRecord, Fate>;

/** The thread. Whatever ties it to other threads is left. */
export const threadFate = {
  id: "carried",
  agent_id: "carried",
  origin_agent_id: "carried",
  user_id: "carried",
  title: "carried",
  tags: "carried",
  metadata: "carried",
  status: "carried",
  created_at: "carried",
  updated_at: "carried",
  active_run_id: "carried",
  // But for `steering`: the run that those inputs were to join has ended in the copy.
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
  // The run under way ends in the copy.
  active_totals: "left",
  seq_reserved: "anew",
  background: "anew",
  creation: "anew",
  imported_at: "anew",
  parent: "left",
  children: "left",
  // What a client is waited for ends where it was left.
  pending: "left",
  updated_seq: "left",
} as const satisfies Record<keyof ThreadRecord, Fate>;

/** The fields of a record that its table lets through; a field that the record lacks is lacking. */
export function carriedOf<RecordType extends object, Table extends Record<keyof RecordType, Fate>>(
  record: RecordType,
  table: Table,
): Pick<RecordType, Carried<Table> & keyof RecordType> {
  const kept = Object.entries(record).filter(([field]) => (table as Record<string, Fate>)[field] === "carried");
  return Object.fromEntries(kept) as Pick<RecordType, Carried<Table> & keyof RecordType>;
}
