// Reads off the rest of a body that is not wanted, before its request is refused. A connection whose sender is still at it
// would else be cut, and the sender would never read why.

import { waitWithin } from "./time-limit.ts";
import { platformTimers } from "./timers.ts";

/** Milliseconds without a byte after which the sender is taken to wait for the answer. */
const idleLimit = 1000;
/** Milliseconds in all. */
const totalLimit = 10_000;
const pieceSize = 64 * 1024;

/** Resolves when the body has ended, broken off, stopped coming, or gone on for too long. Never rejects. */
export async function discardBody({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
  const reader = body.getReader({ mode: "byob" });
  const started = Date.now();
  try {
    while (Date.now() - started < totalLimit) {
      if (!(await comes(reader.read(new Uint8Array(pieceSize))))) break;
    }
    await reader.cancel();
  } catch {
    // The sender has left, so nobody waits for the answer either.
  }
}

/** Whether a piece comes in time. */
function comes(piece: Promise<{ done: boolean }>): Promise<boolean> {
  const bounds = { timers: platformTimers, milliseconds: idleLimit, onTimeout: () => false };
  return waitWithin(() => piece.then(({ done }) => !done), bounds);
}
