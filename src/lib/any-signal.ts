// A signal that is aborted when the first of several signals is aborted. In Node, the result of `AbortSignal.any` refers to its sources
// weakly, so the garbage collector may remove a signal of `AbortSignal.timeout` before its time is over. The result is never aborted then
// (nodejs/node#57736).

/** The sources of each combined signal. This reference keeps them in memory as long as the combined signal. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** Combines signals. The result is aborted, with the same reason, when the first of them is aborted. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const combined = AbortSignal.any([...signals]);
  sources.set(combined, signals);
  return combined;
}
