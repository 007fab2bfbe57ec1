// Whether an alarm would wake a thread whose object died: read from its rows alone, before a request resumes it.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { ThreadRecord } from "#core/record/record.ts";

/** True if a thread's rows contain open work and no alarm is set for it. */
export async function isLeftAlone(id: string): Promise<boolean> {
  const left = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), async (_, { storage }) => {
    const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'thread'").toArray();
    const [row] = tables.length === 0 ? [] : storage.sql.exec<{ body: string }>("SELECT body FROM thread").toArray();
    // The alarm is read after the row: code that adds work sets both at once.
    return row === undefined || (await storage.getAlarm()) !== null ? null : (JSON.parse(row.body) as ThreadRecord);
  });
  if (left === null) return false;
  const { active_run_id, queue, last_seq, deletion } = left;
  if (deletion !== undefined) return true;
  const { catalog, outbound = [] } = left.background;
  if (active_run_id !== null || (queue.run_ids.length > 0 && !queue.paused) || outbound.length > 0) return true;
  // The record of what the catalog must receive is removed with the next change of the row, so the catalog may have received it already.
  const known = await env.CATALOG.prepare("SELECT version FROM thread WHERE id = ?").bind(id).first<number>("version");
  return catalog.runs.length > 0 && (known ?? 0) < last_seq;
}
