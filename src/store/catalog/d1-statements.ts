// Builds the writes of the catalog (the deployment's index of all threads) as SQL. The outcome of each statement is independent of other
// requests, so batches may run concurrently and be repeated.

import { encodeBody } from "../row-body.ts";
import type { CatalogEntry, CreationRequest, Removal } from "./catalog.ts";
import { creationKept, removalKept, sinceOf } from "./catalog.ts";
import { dayOf, type RunTotal } from "./run-total.ts";
import { searchText } from "./search-text.ts";

// A deleted thread is recognised by its `created_at`; a later thread with the same id is stored.
const put = `
  INSERT INTO thread (id, user_id, agent_id, origin_agent_id, status, parent_id, tags, search_text,
    created_at, updated_at, version, body)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
  WHERE NOT EXISTS (SELECT 1 FROM removed_thread WHERE id = ?1 AND created_at >= ?9)
  ON CONFLICT (id) DO UPDATE SET
    user_id = excluded.user_id, agent_id = excluded.agent_id, origin_agent_id = excluded.origin_agent_id,
    status = excluded.status, parent_id = excluded.parent_id, tags = excluded.tags,
    search_text = excluded.search_text, created_at = excluded.created_at, updated_at = excluded.updated_at,
    version = excluded.version, body = excluded.body
  WHERE (excluded.created_at, excluded.version) >= (thread.created_at, thread.version)`;

/** Stores an entry unless a newer one is stored or the thread was deleted. */
export function putStatement(
  database: D1Database,
  { thread, lastMessage, version, since }: CatalogEntry,
): D1PreparedStatement {
  return database
    .prepare(put)
    .bind(
      thread.id,
      thread.user_id,
      thread.agent_id,
      thread.origin_agent_id,
      thread.status,
      thread.parent?.thread_id ?? null,
      JSON.stringify(thread.tags),
      searchText(thread.title, lastMessage),
      sinceOf({ thread, since }),
      thread.updated_at,
      version,
      encodeBody("thread", thread),
    );
}

const addTotals = `
  INSERT OR IGNORE INTO run_total (day, run_id, model, agent_id, user_id, thread_id, status,
    input, output, cache_read, cache_write, total_tokens, cost)
  SELECT value ->> 'day', value ->> 'run_id', value ->> 'model', value ->> 'agent_id', value ->> 'user_id',
    value ->> 'thread_id', value ->> 'status', value ->> 'input', value ->> 'output', value ->> 'cache_read',
    value ->> 'cache_write', value ->> 'total_tokens', value ->> 'cost'
  FROM json_each(?1)`;

/** Adds the usage of runs. All rows are in one JSON parameter, because a statement has at most 100 parameters. */
export function totalsStatement(database: D1Database, totals: readonly RunTotal[]): D1PreparedStatement {
  const rows = totals.map(({ usage, ended_at, ...total }) => ({ ...total, ...usage, day: dayOf(ended_at) }));
  return database.prepare(addTotals).bind(JSON.stringify(rows));
}

/** Deletes a thread, records the deletion, and removes records of deletions that are too old for a late write. */
export function removeStatements(database: D1Database, { threadId, createdAt, now }: Removal): D1PreparedStatement[] {
  return [
    database.prepare("DELETE FROM thread WHERE id = ?1 AND created_at <= ?2").bind(threadId, createdAt),
    database
      .prepare(
        `INSERT INTO removed_thread (id, created_at, removed_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET
           created_at = max(created_at, excluded.created_at), removed_at = excluded.removed_at`,
      )
      .bind(threadId, createdAt, now),
    // A limited number at a time: each deletion removes more old records than it adds, so they never accumulate.
    database
      .prepare(
        `DELETE FROM removed_thread WHERE id IN
           (SELECT id FROM removed_thread WHERE removed_at <= ?1 ORDER BY removed_at LIMIT 20)`,
      )
      .bind(now - removalKept),
  ];
}

/** Reads whether a key is reserved. */
export function reservedStatement(
  database: D1Database,
  { owner, key, now }: Pick<CreationRequest, "owner" | "key" | "now">,
): D1PreparedStatement {
  return database
    .prepare("SELECT 1 FROM creation WHERE owner = ?1 AND key = ?2 AND created_at > ?3")
    .bind(owner ?? "", key, now - creationKept);
}

/** Reserves a key, reads the stored reservation, and removes some expired keys. */
export function reserveStatements(database: D1Database, request: CreationRequest): D1PreparedStatement[] {
  const owner = request.owner ?? "";
  const expired = request.now - creationKept;
  return [
    database
      .prepare(
        `INSERT INTO creation (owner, key, fingerprint, thread_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (owner, key) DO UPDATE SET
           fingerprint = excluded.fingerprint, thread_id = excluded.thread_id, created_at = excluded.created_at
         WHERE creation.created_at <= ?6`,
      )
      .bind(owner, request.key, request.fingerprint, request.threadId, request.now, expired),
    database
      .prepare(
        `SELECT thread_id AS threadId, fingerprint, EXISTS (
           SELECT 1 FROM removed_thread WHERE id = creation.thread_id AND removed_at >= creation.created_at
         ) AS removed
         FROM creation WHERE owner = ?1 AND key = ?2`,
      )
      .bind(owner, request.key),
    database
      .prepare(
        `DELETE FROM creation WHERE (owner, key) IN
           (SELECT owner, key FROM creation WHERE created_at <= ?1 ORDER BY created_at LIMIT 20)`,
      )
      .bind(expired),
  ];
}
