// Reads and writes log rows: model attempts, ends of steps, and problems. Filters are applied while rows are read in order of id, so a
// filtered page also reads the rows that it omits.

import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { LogRecord } from "#core/record/record.ts";
import { redactedTexts } from "#lib/redacted-texts.ts";

import { firstKey, lastKey } from "../key-range.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { logTable } from "./schema.ts";
import { prepared, type ThreadDatabase } from "./thread-database.ts";

const type = sql.placeholder("type");
const runId = sql.placeholder("runId");
const beyond = sql.placeholder("beyond");

/** The fields with texts about what failed, of a row and of each call in its list `tools`. */
const problemFields = new Set(["error", "stack", "problem", "cause", "message"]);

function redactedProblems(data: JsonObject, redact: (text: string) => string): JsonObject {
  const entries = Object.entries(data).map(([name, value]): [string, Json] => {
    if (problemFields.has(name)) return [name, redactedTexts(value, redact) as Json];
    if (name !== "tools" || !Array.isArray(value)) return [name, value];
    return [name, value.map((call) => (isJsonObject(call) ? redactedProblems(call, redact) : call))];
  });
  return Object.fromEntries(entries);
}

/** Creates the operations on log rows. `redact` removes secrets from the texts of a row's problems before it is written. */
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
  /** Only texts of problems are changed: a run continues from the other data, and a replay has to repeat the events that were sent. */
  const redacted = (log: LogRecord): LogRecord => ({ ...log, data: redactedProblems(log.data, redact) });
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
