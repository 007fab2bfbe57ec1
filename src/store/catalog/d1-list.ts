// Builds the SQL of the list of threads: reads along the index of the kind of list, starting after the cursor, and applies filters to these
// rows. Contract: a request reads at most 20,000 rows. A page whose filters few threads match ends earlier, with a cursor.

import type { Page } from "#contract/list-page.ts";
import type { Thread } from "#contract/thread.ts";

import { decodeBody } from "../row-body.ts";
import type { ThreadListQuery } from "./catalog.ts";
import { loweredQuery } from "./search-text.ts";
import { cursorAfter, decodeCursor, listKind } from "./thread-page.ts";

/** Threads that one request walks along. The end of the walk is read a second time, to know the position for the cursor. */
const walked = 7400;

/** The maximum number of waiting threads that are read without a bound of the walk, and sorted if they are those of all users. */
const mostSorted = 2500;

const isWaiting = "json_array_length(body, '$.pending_tool_calls') > 0";

/** A row of the result: a thread, or with `body` null the position at which the walk ended. */
export interface ListedRow {
  body: string | null;
  updated_at: number;
  id: string;
}

/** SQL conditions and their parameters in the same order. */
class Conditions {
  readonly texts: string[] = [];
  readonly values: (string | number)[] = [];

  add(text: string, ...values: (string | number)[]): void {
    this.texts.push(text);
    this.values.push(...values);
  }

  get sql(): string {
    return this.texts.length === 0 ? "1" : this.texts.join(" AND ");
  }
}

/** The conditions along whose index the threads are read, and the others. `few`: the list is one of few waiting threads. */
function conditionsOf(query: ThreadListQuery, few: boolean): { walk: Conditions; filter: Conditions } {
  const sorted = isSorted(query, few);
  const { userId, agentId, status, waiting, tag, q, parentId, order, cursor } = query;
  const [walk, filter] = [new Conditions(), new Conditions()];
  const position = sorted ? filter : walk;
  if (parentId !== undefined) walk.add("parent_id = ?", parentId);
  // The index of the threads that wait contains child threads too. If there are many, the bounded walk counts them.
  else if (sorted || (waiting === true && userId !== null && !few)) filter.add("parent_id IS NULL");
  // With `+` SQLite walks along the index of the threads that wait.
  else if (waiting === true && userId !== null) walk.add("+parent_id IS NULL");
  else walk.add("parent_id IS NULL");
  if (userId !== null) (parentId === undefined ? walk : filter).add("user_id = ?", userId);
  // The condition of the partial index of these threads.
  if (waiting === true) (parentId === undefined && (userId !== null || sorted) ? walk : filter).add(isWaiting);
  if (cursor !== undefined) {
    const { updatedAt, id } = decodeCursor(listKind(query), cursor);
    position.add(`(updated_at, id) ${order === "oldest" ? ">" : "<"} (?, ?)`, updatedAt, id);
  }
  if (agentId !== undefined) filter.add("(agent_id = ? OR origin_agent_id = ?)", agentId, agentId);
  if (status !== undefined) filter.add("status = ?", status);
  // The JSON of a tag may also occur across two tags, so `listedPage` checks the tags of what is found.
  if (tag !== undefined) filter.add("instr(tags, ?) > 0", JSON.stringify(tag));
  if (q !== undefined && q !== "") filter.add("instr(search_text, ?) > 0", loweredQuery(q));
  return { walk, filter };
}

/** Builds the statement. It reads one row more than the limit, which shows that another page follows. */
export async function listStatement(database: D1Database, query: ThreadListQuery): Promise<D1PreparedStatement> {
  const few = query.waiting === true && query.parentId === undefined && (await fewWait(database, query.userId));
  const sorted = isSorted(query, few);
  const { walk, filter } = conditionsOf(query, few);
  const direction = query.order === "oldest" ? "ASC" : "DESC";
  const order = `ORDER BY updated_at ${direction}, id ${direction}`;
  const most = query.limit + 1;
  const inner = (what: string, last: string) =>
    `SELECT ${what} FROM thread WHERE ${walk.sql} ${sorted ? "" : order} ${last}`;
  const every = "id, user_id, agent_id, origin_agent_id, status, parent_id, tags, search_text, updated_at, body";
  const bound = sorted ? mostSorted : walked;
  const found = `SELECT body, updated_at, id FROM (${inner(every, `LIMIT ${bound}`)}) WHERE ${filter.sql} ${order} LIMIT ${most}`;
  if (sorted || filter.texts.length === 0) return database.prepare(found).bind(...walk.values, ...filter.values);
  const end = inner("NULL AS body, updated_at, id", `LIMIT 1 OFFSET ${walked - 1}`);
  return database
    .prepare(`SELECT * FROM (${found}) UNION ALL SELECT * FROM (${end}) LIMIT ${most}`)
    .bind(...walk.values, ...filter.values, ...walk.values);
}

/** Whether the list is sorted: it contains few waiting threads of all users, whose index is in order for one user only. */
function isSorted({ userId }: ThreadListQuery, few: boolean): boolean {
  return few && userId === null;
}

/** Whether so few threads of a user, or of all users, wait that all of them can be read. Child threads are counted too. */
async function fewWait(database: D1Database, userId: string | null): Promise<boolean> {
  const [ofUser, values] = userId === null ? ["", []] : ["user_id = ? AND ", [userId]];
  const count = `SELECT count(*) AS n FROM (SELECT 1 FROM thread WHERE ${ofUser}${isWaiting} LIMIT ${mostSorted + 1})`;
  const statement = database.prepare(count).bind(...values);
  return ((await statement.first<number>("n")) ?? 0) <= mostSorted;
}

/** Builds a page from the rows of the statement. */
export function listedPage(query: ThreadListQuery, rows: readonly ListedRow[]): Page<Thread> {
  const { limit, tag } = query;
  const end = rows.find(({ body }) => body === null);
  const position = end ?? (rows.length > limit ? rows[limit - 1] : undefined);
  const threads = rows.slice(0, limit).flatMap(({ body }) => (body === null ? [] : [decodeBody<Thread>(body)]));
  const items = tag === undefined ? threads : threads.filter(({ tags }) => tags.includes(tag));
  if (position === undefined) return { items, next_cursor: null };
  return { items, next_cursor: cursorAfter(query, { updatedAt: position.updated_at, id: position.id }) };
}
