// Converts records to their exported form: only the fields that `fate.ts` marks as `carried`.

import type { LogRecord, MessageRecord, RunRecord, ThreadRecord } from "../record.ts";
import type { ArchivedLog, ArchivedMessage, ArchivedRun, ArchivedThread } from "./archive-record.ts";
import { carriedOf, logFate, messageFate, runFate, threadFate } from "./fate.ts";

/** The thread. `lastSeq` is the number of the last event that was sent. */
export function archivedThread(record: Readonly<ThreadRecord>, lastSeq: number): ArchivedThread {
  const { run_ids, paused, overtaker } = record.queue;
  const queue = { queue: run_ids, ...(overtaker === undefined ? {} : { overtaker }), held: paused };
  // The exported thread has the queue's fields at its top level, in the position of the record's `queue`.
  const fields = Object.entries(carriedOf(record, threadFate)).flatMap<[string, unknown]>((entry) =>
    entry[0] === "queue" ? Object.entries(queue) : [entry],
  );
  return { ...(Object.fromEntries(fields) as ArchivedThread), last_seq: lastSeq };
}

/** A message. */
export function archivedMessage(record: MessageRecord): ArchivedMessage {
  const { awaits } = record;
  // `awaits` is not exported. An empty `answered` marks a call that waited for a client or a person and therefore has not run.
  const waits = awaits !== undefined && awaits.kind !== "child" && record.answered === undefined;
  return carriedOf(waits ? { ...record, answered: "" } : record, messageFate) as ArchivedMessage;
}

/** A run. */
export function archivedRun(record: RunRecord): ArchivedRun {
  const { queued, ...kept } = carriedOf(record, runFate);
  const calls = queued?.calls;
  return {
    ...kept,
    ...(calls === undefined
      ? {}
      : { calls: calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })) }),
    queued: queued === null ? null : { message: queued.message === null ? null : archivedMessage(queued.message) },
  } as ArchivedRun;
}

/** A log row. */
export function archivedLog(record: LogRecord): ArchivedLog {
  return carriedOf(record, logFate);
}
