// Reads and drops the rest of a request body before the request is refused. Otherwise the connection of a client that is still sending
// would be closed, and the client would not receive the response with the reason.

import { waitWithin } from "./time-limit.ts";
import { platformTimers } from "./timers.ts";

/** Milliseconds without a byte after which the client is assumed to have sent everything. */
const idleLimit = 1000;
/** Milliseconds in total. */
const totalLimit = 10_000;
const pieceSize = 64 * 1024;

/** Resolves when the body has ended or failed, or when a limit is reached. Never rejects. */
export async function discardBody({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
  const reader = body.getReader({ mode: "byob" });
  const started = Date.now();
  try {
    while (Date.now() - started < totalLimit) {
      if (!(await arrivesInTime(reader.read(new Uint8Array(pieceSize))))) break;
    }
    await reader.cancel();
  } catch {
    // The client has disconnected, so no one reads the response.
  }
}

/** Whether a chunk arrives in time. */
function arrivesInTime(piece: Promise<{ done: boolean }>): Promise<boolean> {
  const bounds = { timers: platformTimers, milliseconds: idleLimit, onTimeout: () => false };
  return waitWithin(() => piece.then(({ done }) => !done), bounds);
}
