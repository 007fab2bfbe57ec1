// The port that writes the rows of a run.

import type { LogRecord, MessageRecord } from "../record/record.ts";
import type { RunRecord } from "../record/run-record.ts";

/**
 * Contract: synchronous; each call writes all of its rows or none. `messages` are the run's messages in memory, in order, including
 * appended ones. The caller does not change a record after it passed it on.
 */
export interface RunJournal {
  readonly messages: readonly MessageRecord[];
  /** Writes the row of a new message, with its events. */
  append(message: MessageRecord): void;
  /** Writes the row of a changed message. */
  update(message: MessageRecord): void;
  /** Announces that the result of this tool message's call is about to be written. From now on no other result is accepted for the call. */
  closing(messageId: string): void;
  /** Receives the log row of an answer before its calls run. `log` receives it again at the end of the step. Absent in threads. */
  answered?: ((record: LogRecord) => void) | undefined;
  /** Writes a log row. If `agent` is given, the thread is handed to that agent in the same transaction. Absent: no log rows are created. */
  log?: ((record: LogRecord, agent?: string) => void) | undefined;
  /** Writes the run's record. */
  saveRun(run: RunRecord): void;
  /** Writes the message with the tool calls that definitions queued, and the run's record, from which these calls are removed. */
  appendQueued(message: MessageRecord): void;
}
