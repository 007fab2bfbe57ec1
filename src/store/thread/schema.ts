// The tables of a thread as drizzle schemas, for queries only. `migrations/thread` creates the tables, because drizzle cannot express
// WITHOUT ROWID. A test compares both, column by column.

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The row of the thread; its id is always 1. */
export const threadTable = sqliteTable("thread", {
  id: integer("id").primaryKey(),
  schemaVersion: integer("schema_version").notNull(),
  body: text("body").notNull(),
});

/** Branches of the conversation. The first one has no parent. */
export const branchTable = sqliteTable("branch", {
  id: text("id").notNull().primaryKey(),
  parentBranch: text("parent_branch"),
  forkPosition: text("fork_position"),
  createdAt: integer("created_at").notNull(),
});

/** Messages by branch and position. */
export const messageTable = sqliteTable(
  "message",
  {
    branch: text("branch").notNull(),
    position: text("position").notNull(),
    id: text("id").notNull(),
    depth: integer("depth").notNull(),
    silent: integer("silent").notNull(),
    body: text("body").notNull(),
  },
  (table) => [primaryKey({ columns: [table.branch, table.position] })],
);

/** Positions of the messages whose position is not their id. */
export const movedMessageTable = sqliteTable("moved_message", {
  id: text("id").notNull().primaryKey(),
  branch: text("branch").notNull(),
  position: text("position").notNull(),
});

/** Runs, including queued ones. */
export const runTable = sqliteTable("run", {
  id: text("id").notNull().primaryKey(),
  body: text("body").notNull(),
});

/** Log rows: steps and failures. */
export const logTable = sqliteTable("log", {
  id: text("id").notNull().primaryKey(),
  type: text("type").notNull(),
  runId: text("run_id"),
  body: text("body").notNull(),
});

/** Events with a row of their own. */
export const eventTable = sqliteTable("event", {
  seq: integer("seq").primaryKey(),
  body: text("body").notNull(),
});

/** Stored responses by idempotency key. */
export const requestKeyTable = sqliteTable("request_key", {
  key: text("key").notNull().primaryKey(),
  body: text("body").notNull(),
});
