// Saves a thread as a file of lines of JSON. An export whose last line is missing is broken off, whatever its status said, and is
// not saved.

import { ThreadholdNetworkError } from "threadhold/client";
import type { ThreadholdClient } from "threadhold/client";

import { saveBlob } from "../kit/save-blob.ts";

/** Saves it, files included. Throws where it broke off. */
export async function exportThread(client: ThreadholdClient, id: string): Promise<void> {
  const lines = await client.threads.export(id, { files: true });
  const blob = await new Response(lines).blob();
  if (!(await endsWhole(blob)))
    throw new ThreadholdNetworkError("The export broke off before its last line. Try again.");
  saveBlob(blob, `thread-${id}.ndjson`);
}

/** The last line of a whole export says what it should hash to. */
async function endsWhole(blob: Blob): Promise<boolean> {
  const tail = await blob.slice(-4096).text();
  const last = tail.trimEnd().split("\n").at(-1) ?? "";
  return tail.endsWith("\n") && /"type":"end"/.test(last);
}
