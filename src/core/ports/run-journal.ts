// Where a run writes what must survive.

import type { LogRecord, MessageRecord, RunRecord } from "../record.ts";

/**
 * Contract: synchronous; what one call writes is written together. `messages` holds the run's own messages in order, in
 * memory, and already has what was appended. Records are taken as they are: the caller does not change them afterwards.
 */
export interface RunJournal {
  readonly messages: readonly MessageRecord[];
  append(message: MessageRecord): void;
  update(message: MessageRecord): void;
  log(record: LogRecord): void;
  saveRun(run: RunRecord): void;
}
