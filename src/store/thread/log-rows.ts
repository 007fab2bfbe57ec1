// Reads and writes log rows: model attempts, ends of steps, and problems. Filters are applied while rows are read in order of id, so a
// filtered page also reads the rows that it omits.

import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { LogRecord } from "#core/record.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { firstKey, lastKey } from "../key-range.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { logTable } from "./schema.ts";
import { prepared, type ThreadDatabase } from "./thread-database.ts";

const type = sql.placeholder("type");
const runId = sql.placeholder("runId");
const beyond = sql.placeholder("beyond");

/** Creates the operations on log rows. `redact` removes secrets from the JSON text of each row's data before it is written. */
export function logRows(
  database: ThreadDatabase,
  redact: (text: string) => string,
): Pick<ThreadStore, "insertLog" | "log" | "logs"> {
  const page = (bound: typeof gt, direction: typeof asc) =>
    database
      .select({ body: logTable.body })
      .from(logTable)
      .where(
        and(
          bound(logTable.id, beyond),
          sql`(${type} IS NULL OR ${logTable.type} = ${type})`,
          sql`(${runId} IS NULL OR ${logTable.runId} = ${runId})`,
        ),
      )
      .orderBy(direction(logTable.id))
      .limit(sql.placeholder("limit"));
  const queries = prepared({
    insert: () =>
      database.insert(logTable).values({ id: sql.placeholder("id"), type, runId, body: sql.placeholder("body") }),
    select: () =>
      database
        .select({ body: logTable.body })
        .from(logTable)
        .where(eq(logTable.id, sql.placeholder("id"))),
    asc: () => page(gt, asc),
    desc: () => page(lt, desc),
  });
  /** The events of a row stay as they are, because a replay has to repeat what was sent. */
  const redacted = (log: LogRecord): LogRecord => {
    const text = JSON.stringify(log.data);
    const clean = redact(text);
    return clean === text ? log : { ...log, data: parseOwnJson(clean) as LogRecord["data"] };
  };
  return {
    insertLog(log) {
      queries.insert.run({ id: log.id, type: log.type, runId: log.run_id, body: encodeBody("log", redacted(log)) });
    },
    log(id) {
      const row = queries.select.get({ id });
      return row === undefined ? null : decodeBody<LogRecord>(row.body);
    },
    logs(query) {
      const { order, limit, type = null, runId = null } = query;
      const open = order === "asc" ? firstKey : lastKey;
      const rows = queries[order].all({ limit, type, runId, beyond: query.beyond ?? open });
      return rows.map((row) => decodeBody<LogRecord>(row.body));
    },
  };
}
