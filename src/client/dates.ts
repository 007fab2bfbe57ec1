// Converts times of the API to dates.

/** Converts a time of the API (microseconds since epoch) to a date. Null stays null. Digits below a millisecond are dropped. */
export function toDate<T extends number | null>(microseconds: T): T extends number ? Date : null;
export function toDate(microseconds: number | null): Date | null {
  return microseconds === null ? null : new Date(Math.floor(microseconds / 1000));
}
