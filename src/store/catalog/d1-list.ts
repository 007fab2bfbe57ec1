// Builds the SQL of the list of threads: reads along the index of the kind of list, starting after the cursor, with filters applied.

import type { ThreadListQuery } from "./catalog.ts";
import { loweredQuery } from "./search-text.ts";
import { decodeCursor, listKind } from "./thread-page.ts";

/** SQL conditions and their parameters in the same order. */
class Conditions {
  readonly texts: string[] = [];
  readonly values: (string | number)[] = [];

  add(text: string, ...values: (string | number)[]): void {
    this.texts.push(text);
    this.values.push(...values);
  }
}

function conditionsOf(query: ThreadListQuery): Conditions {
  const { userId, agentId, status, waiting, tag, q, parentId, order, cursor } = query;
  const conditions = new Conditions();
  // Without `+` SQLite reads all threads by the index of activity, instead of sorting the few that wait.
  if (parentId === undefined)
    conditions.add(waiting === true && userId === null ? "+parent_id IS NULL" : "parent_id IS NULL");
  else conditions.add("parent_id = ?", parentId);
  if (userId !== null) conditions.add("user_id = ?", userId);
  if (agentId !== undefined) conditions.add("(agent_id = ? OR origin_agent_id = ?)", agentId, agentId);
  // The condition of the partial index of these threads.
  if (waiting === true) conditions.add("json_array_length(body, '$.pending_tool_calls') > 0");
  if (status !== undefined) conditions.add("status = ?", status);
  if (tag !== undefined) conditions.add("EXISTS (SELECT 1 FROM json_each(thread.tags) WHERE value = ?)", tag);
  if (q !== undefined && q !== "") conditions.add("instr(search_text, ?) > 0", loweredQuery(q));
  if (cursor !== undefined) {
    const position = decodeCursor(listKind(query), cursor);
    conditions.add(`(updated_at, id) ${order === "oldest" ? ">" : "<"} (?, ?)`, position.updatedAt, position.id);
  }
  return conditions;
}

/** Builds the statement. It reads one row more than the limit, which shows that another page follows. */
export function listStatement(database: D1Database, query: ThreadListQuery): D1PreparedStatement {
  const { texts, values } = conditionsOf(query);
  const where = texts.join(" AND ");
  const direction = query.order === "oldest" ? "ASC" : "DESC";
  return database
    .prepare(`SELECT body FROM thread WHERE ${where} ORDER BY updated_at ${direction}, id ${direction} LIMIT ?`)
    .bind(...values, query.limit + 1);
}
