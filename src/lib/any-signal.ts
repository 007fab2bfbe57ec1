// A signal that is aborted with the first of several signals. The signals of Node's `AbortSignal.any` refer to their sources weakly, so the
// garbage collector may remove a source of `AbortSignal.timeout` before its time is over: nothing is aborted then (nodejs/node#57736).

/** The sources of each combined signal, which exist as long as it does. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** Combines signals. The result is aborted with the first of them. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const combined = AbortSignal.any([...signals]);
  sources.set(combined, signals);
  return combined;
}
