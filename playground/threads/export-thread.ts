// Saves a thread as a file of JSON lines. An export without its last line is incomplete, even if its status was 200,
// and is not saved.

import { ThreadholdNetworkError } from "threadhold/client";
import type { ThreadholdClient } from "threadhold/client";

import { saveBlob } from "../kit/save-blob.ts";

/** Saves a thread with its files. Throws if the export is incomplete. */
export async function exportThread(client: ThreadholdClient, id: string): Promise<void> {
  const lines = await client.threads.export(id, { files: true });
  const blob = await new Response(lines).blob();
  if (!(await endsWhole(blob)))
    throw new ThreadholdNetworkError("The export broke off before its last line. Try again.");
  saveBlob(blob, `thread-${id}.ndjson`);
}

/** Whether the export is complete: its last line has a hash that has to match. */
async function endsWhole(blob: Blob): Promise<boolean> {
  const tail = await blob.slice(-4096).text();
  const last = tail.trimEnd().split("\n").at(-1) ?? "";
  return tail.endsWith("\n") && /"type":"end"/.test(last);
}
