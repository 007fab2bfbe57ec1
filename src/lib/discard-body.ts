// Reads off the rest of a body that is not wanted, before its request is refused. A connection whose sender is still at it
// would else be cut, and the sender would never read why.

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
async function comes(piece: Promise<{ done: boolean }>): Promise<boolean> {
  const idle = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => idle.resolve(false), idleLimit);
  try {
    return await Promise.race([piece.then(({ done }) => !done), idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}
