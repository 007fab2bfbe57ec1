// The list of threads as SQL: a keyset walk along the index that fits the kind of list, filters applied on the way.

import type { ThreadListQuery } from "./catalog.ts";
import { loweredQuery } from "./search-text.ts";
import { decodeCursor, listKind } from "./thread-cursor.ts";

/** Conditions with their parameters, in order. */
class Conditions {
  readonly texts: string[] = [];
  readonly values: (string | number)[] = [];

  add(text: string, ...values: (string | number)[]): void {
    this.texts.push(text);
    this.values.push(...values);
  }
}

function conditionsOf(query: ThreadListQuery): Conditions {
  const { userId, agentId, status, tag, q, parentId, cursor } = query;
  const conditions = new Conditions();
  if (parentId === undefined) conditions.add("parent_id IS NULL");
  else conditions.add("parent_id = ?", parentId);
  if (userId !== null) conditions.add("user_id = ?", userId);
  if (agentId !== undefined) conditions.add("(agent_id = ? OR origin_agent_id = ?)", agentId, agentId);
  if (status !== undefined) conditions.add("status = ?", status);
  if (tag !== undefined) conditions.add("EXISTS (SELECT 1 FROM json_each(thread.tags) WHERE value = ?)", tag);
  if (q !== undefined && q !== "") conditions.add("instr(search_text, ?) > 0", loweredQuery(q));
  if (cursor !== undefined) {
    const place = decodeCursor(listKind(query), cursor);
    conditions.add("(updated_at, id) < (?, ?)", place.updatedAt, place.id);
  }
  return conditions;
}

/** One row more than asked, so that the page knows whether another follows. */
export function listStatement(database: D1Database, query: ThreadListQuery): D1PreparedStatement {
  const { texts, values } = conditionsOf(query);
  const where = texts.join(" AND ");
  return database
    .prepare(`SELECT body FROM thread WHERE ${where} ORDER BY updated_at DESC, id DESC LIMIT ?`)
    .bind(...values, query.limit + 1);
}
