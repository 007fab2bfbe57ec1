// The thread's storage, as the layers above see it. Synchronous, because the object's SQLite is: what stands in one
// `transaction` is written together or not at all.

import type { LogType } from "#contract/log.ts";

import type { KeyRecord, LogRecord, MessageRecord, RunRecord, StoredEvent, ThreadRecord } from "../record.ts";

/** A window over the messages of a branch. */
export interface MessageQuery {
  branch: string;
  order: "asc" | "desc";
  limit: number;
  /** Exclusive bound: in ascending order messages after it, in descending order messages before it. */
  beyond?: string | undefined;
  includeSilent: boolean;
  maxDepth?: number | undefined;
}

/** A window over runs or logs, by id. */
export interface RowQuery {
  order: "asc" | "desc";
  limit: number;
  beyond?: string | undefined;
}

/** A window over log rows. */
export interface LogQuery extends RowQuery {
  type?: LogType | undefined;
  runId?: string | undefined;
}

/**
 * Contract: every method is synchronous and throws only for a bug or a full disk. Records handed out are copies. Reads see
 * the writes of the same transaction. Rows read stay within what is asked for, whatever the thread's length.
 */
export interface ThreadStore {
  transaction<T>(work: () => T): T;

  /** Null where no thread was created: then no table exists either. */
  readThread(): ThreadRecord | null;
  writeThread(thread: ThreadRecord): void;

  insertMessage(message: MessageRecord): void;
  /** Replaces a message; its `branch` and `position` do not change. */
  updateMessage(message: MessageRecord): void;
  deleteMessage(message: MessageRecord): void;
  message(id: string): MessageRecord | null;
  messages(query: MessageQuery): MessageRecord[];
  /** Messages after a position, oldest first. */
  messagesAfter(branch: string, position: string): MessageRecord[];

  insertRun(run: RunRecord): void;
  updateRun(run: RunRecord): void;
  deleteRun(id: string): void;
  run(id: string): RunRecord | null;
  runs(query: RowQuery): RunRecord[];

  insertLog(log: LogRecord): void;
  log(id: string): LogRecord | null;
  logs(query: LogQuery): LogRecord[];

  /** Events that ride in no other row. */
  insertEvent(event: StoredEvent): void;
  deleteEvent(seq: number): void;
  eventsAfter(seq: number, limit: number): StoredEvent[];

  key(key: string): KeyRecord | null;
  insertKey(record: KeyRecord): void;
}
