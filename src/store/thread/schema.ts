// The thread's tables as drizzle knows them. The tables themselves are made by `migrations/thread`; drizzle has no word for
// WITHOUT ROWID and makes nothing here. A test holds the two against each other, column by column.

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The thread's own row; its only id is 1. */
export const threadTable = sqliteTable("thread", {
  id: integer("id").primaryKey(),
  schemaVersion: integer("schema_version").notNull(),
  body: text("body").notNull(),
});

/** Lines of the conversation. The first has no parent. */
export const branchTable = sqliteTable("branch", {
  id: text("id").notNull().primaryKey(),
  parentBranch: text("parent_branch"),
  forkPosition: text("fork_position"),
  createdAt: integer("created_at").notNull(),
});

/** Messages by their place. */
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

/** Places of the messages whose position is not their id. */
export const movedMessageTable = sqliteTable("moved_message", {
  id: text("id").notNull().primaryKey(),
  branch: text("branch").notNull(),
  position: text("position").notNull(),
});

/** Runs, queued ones included. */
export const runTable = sqliteTable("run", {
  id: text("id").notNull().primaryKey(),
  body: text("body").notNull(),
});

/** Log rows: steps, and what went wrong. */
export const logTable = sqliteTable("log", {
  id: text("id").notNull().primaryKey(),
  type: text("type").notNull(),
  runId: text("run_id"),
  body: text("body").notNull(),
});

/** Events that ride in no other row. */
export const eventTable = sqliteTable("event", {
  seq: integer("seq").primaryKey(),
  body: text("body").notNull(),
});

/** Answers kept for idempotency keys. */
export const requestKeyTable = sqliteTable("request_key", {
  key: text("key").notNull().primaryKey(),
  body: text("body").notNull(),
});
