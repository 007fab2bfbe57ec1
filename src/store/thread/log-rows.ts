// Reads and writes log rows: model attempts, ends of steps, and problems. Filters are applied while rows are read in order of id, so a
// filtered page also reads the rows that it omits.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { LogRecord } from "#core/record/record.ts";
import { redactedTexts } from "#lib/redacted-texts.ts";

import { firstKey, lastKey } from "../key-range.ts";
import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { statement } from "./statement.ts";

/** The filters of a page: each is null or the value of its column. */
const filtered = "(?2 IS NULL OR type = ?2) AND (?3 IS NULL OR run_id = ?3)";

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
  storage: MeteredStorage,
  redact: (text: string) => string,
): Pick<ThreadStore, "insertLog" | "log" | "logs"> {
  const insert = statement(storage, "INSERT INTO log (id, type, run_id, body) VALUES (?, ?, ?, ?)");
  const select = statement(storage, "SELECT body FROM log WHERE id = ?");
  const page = {
    asc: statement(storage, `SELECT body FROM log WHERE id > ?1 AND ${filtered} ORDER BY id ASC LIMIT ?4`),
    desc: statement(storage, `SELECT body FROM log WHERE id < ?1 AND ${filtered} ORDER BY id DESC LIMIT ?4`),
  };
  /** Only texts of problems are changed: a run continues from the other data, and a replay has to repeat the events that were sent. */
  const redacted = (log: LogRecord): LogRecord => ({ ...log, data: redactedProblems(log.data, redact) });
  return {
    insertLog(log) {
      insert.run(log.id, log.type, log.run_id, encodeBody("log", redacted(log)));
    },
    log(id) {
      const row = select.get(id);
      return row === undefined ? null : decodeBody<LogRecord>(row.body);
    },
    logs(query) {
      const { order, limit, type = null, runId = null } = query;
      const open = order === "asc" ? firstKey : lastKey;
      const rows = page[order].all(query.beyond ?? open, type, runId, limit);
      return rows.map((row) => decodeBody<LogRecord>(row.body));
    },
  };
}
