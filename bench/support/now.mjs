// A clock that is the same in all threads of a process.

/** Milliseconds since an arbitrary point in time, with fractions. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
