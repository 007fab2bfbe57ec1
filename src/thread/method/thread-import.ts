// Makes a thread of the export in a request's body, a piece at a time as its rows are written, and answers the thread.

import { refuse } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import { creationHeader, waitingHeader } from "#core/thread-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";

import type { Importer } from "../archive/importer.ts";
import { fileJson } from "./file-json.ts";
import { view } from "./thread-changes.ts";
import { openUpload } from "./upload-stream.ts";

/** Who imports, and by which clock. */
export interface Importing {
  caller: Caller;
  clock: Clock;
}

/** The answer: 201 with the thread. Throws to refuse; then nothing is left of it. */
export async function importThread(
  importer: Importer,
  { caller, clock }: Importing,
  { headers, body }: Request,
): Promise<Response> {
  if (body === null) throw refuse("invalid_request", "The body is empty; an exported thread is expected.");
  const upload = openUpload(body as ReadableStream<Uint8Array>, clock);
  try {
    const { context } = await importer.take(caller, upload.stream, headers.get(creationHeader));
    await context.wakeups.runAndSleep();
    // Whoever hears of it may list at once.
    context.ownerFeed.created(context.live);
    const answer = fileJson(view(context), 201);
    answer.headers.set(waitingHeader, String(context.live.record.queue.run_ids.length));
    return answer;
  } finally {
    upload.release();
  }
}
