// Creates a thread from the export in a request's body, and returns the thread. The body is read a piece at a time, as rows are written.
// Loaded with the first import of an isolate.

import { refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import { creationHeader, waitingHeader } from "#core/rpc/thread-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { fileJson } from "../method/file-json.ts";
import { view } from "../method/thread-changes.ts";
import { openUpload } from "../method/upload-stream.ts";
import { Importer } from "./importer.ts";
import type { ImporterParts } from "./importer.ts";

/** The caller and the clock of an import. */
export interface Importing {
  caller: Caller;
  clock: Clock;
}

/** Returns 201 with the thread. If the import throws, everything that it wrote is destroyed. */
export async function importThread(
  parts: ImporterParts,
  { caller, clock }: Importing,
  { headers, body }: Request,
): Promise<Response> {
  if (body === null) throw refuse("invalid_request", "The body is empty; an exported thread is expected.");
  const upload = openUpload(body as ReadableStream<Uint8Array>, clock);
  try {
    const { live, wakeups, ownerFeed } = await new Importer(parts).importThread(
      caller,
      upload.stream,
      headers.get(creationHeader),
    );
    await wakeups.runAndSleep();
    // Sent after the catalog was updated: a client that receives the message may list its threads at once.
    ownerFeed.created(live);
    const answer = fileJson(view(live), 201);
    answer.headers.set(waitingHeader, String(live.record.queue.run_ids.length));
    return answer;
  } finally {
    upload.release();
  }
}
