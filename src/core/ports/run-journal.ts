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
  /** The call of this tool message has its answer, which is on its way into the row: no other one is taken for it. */
  closing(messageId: string): void;
  /** `agent` is the agent the thread is handed to with this row. */
  log(record: LogRecord, agent?: string): void;
  saveRun(run: RunRecord): void;
  /** Takes the calls that definitions queued: the message that makes them and the run without them. */
  appendQueued(message: MessageRecord): void;
}
