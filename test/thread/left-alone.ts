// Whether anybody would wake a thread whose object died: asked of its rows alone, before anything takes it up.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { ThreadRecord } from "#core/record.ts";

/** True where a thread has work that its rows speak of, and no alarm that would take it up. */
export async function isLeftAlone(id: string): Promise<boolean> {
  const left = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), async (_, { storage }) => {
    const tables = storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'thread'").toArray();
    const [row] = tables.length === 0 ? [] : storage.sql.exec<{ body: string }>("SELECT body FROM thread").toArray();
    // Asked for after the row: whoever adds work sets both at once.
    return row === undefined || (await storage.getAlarm()) !== null ? null : (JSON.parse(row.body) as ThreadRecord);
  });
  if (left === null) return false;
  const { active_run_id, queue, last_seq } = left;
  const { catalog, outbound = [] } = left.background;
  if (active_run_id !== null || (queue.run_ids.length > 0 && !queue.paused) || outbound.length > 0) return true;
  // The mark of what the catalog has to hear is taken off the row with its next change: it may know by then.
  const known = await env.CATALOG.prepare("SELECT version FROM thread WHERE id = ?").bind(id).first<number>("version");
  return catalog.runs.length > 0 && (known ?? 0) < last_seq;
}
