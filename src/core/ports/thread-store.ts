// The port of a thread's storage. It is synchronous, because the object's SQLite is synchronous. A `transaction` makes all of its writes,
// or none.

import type { LogType } from "#contract/log-entry.ts";

import type {
  KeyRecord,
  LogRecord,
  MessageCounts,
  MessageRecord,
  StoredEvent,
  ThreadRecord,
} from "../record/record.ts";
import type { RunRecord } from "../record/run-record.ts";

/** A query for messages of a branch. */
export interface MessageQuery {
  branch: string;
  order: "asc" | "desc";
  limit: number;
  /** A position. In ascending order only messages after it are returned, in descending order only messages before it. */
  beyond?: string | undefined;
  /** A position, for descending order: only messages after it are returned. */
  above?: string | undefined;
  includeSilent: boolean;
  maxDepth?: number | undefined;
}

/** A query for the messages of all branches, in the order of their positions, which is the order in which they were added. */
export interface TimelineQuery {
  order: "asc" | "desc";
  /** The number of rows that one query reads. */
  page: number;
  /** A position. In ascending order only messages after it are returned, in descending order only messages before it. */
  beyond?: string | undefined;
}

/** The messages of a branch after the position `after` and up to `upTo`, inclusive; up to the end of the branch if it is null. */
export interface MessageRange {
  branch: string;
  after: string;
  upTo: string | null;
}

/** A query for runs or logs, in the order of their ids. */
export interface RowQuery {
  order: "asc" | "desc";
  limit: number;
  beyond?: string | undefined;
}

/** A query for log rows. */
export interface LogQuery extends RowQuery {
  type?: LogType | undefined;
  runId?: string | undefined;
}

/**
 * Contract: every method is synchronous and throws only for a bug or a full disk. Returned records are copies. Reads include the writes of
 * the same transaction. The number of rows that a method reads does not depend on the thread's length, except that a read with filters also
 * reads the rows that the filters omit.
 */
export interface ThreadStore {
  transaction<T>(work: () => T): T;

  /** Returns the thread's row. Null if no thread was created: then the database has no tables. */
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
  /** Messages of all branches, read while they are iterated over. Reads one more row for each branch, if there are several. */
  timeline(query: TimelineQuery): Iterable<MessageRecord>;
  /** Counts messages without reading their content. Reads a row for each message. */
  countMessages(range: MessageRange): MessageCounts;

  insertRun(run: RunRecord): void;
  updateRun(run: RunRecord): void;
  deleteRun(id: string): void;
  run(id: string): RunRecord | null;
  runs(query: RowQuery): RunRecord[];

  insertLog(log: LogRecord): void;
  log(id: string): LogRecord | null;
  logs(query: LogQuery): LogRecord[];

  /** Writes an event that is stored in no other row. */
  insertEvent(event: StoredEvent): void;
  deleteEvent(seq: number): void;
  eventsAfter(seq: number, limit: number): StoredEvent[];

  key(key: string): KeyRecord | null;
  insertKey(record: KeyRecord): void;
}
