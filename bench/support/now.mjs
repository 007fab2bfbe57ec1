// Time that threads of one process share.

/** Milliseconds since some moment, in fractions. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
