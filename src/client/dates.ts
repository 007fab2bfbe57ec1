// Times of the API as dates.

/** The date of a time of the API, which is in microseconds since epoch; null of null. Digits below a millisecond are cut off. */
export function toDate<T extends number | null>(microseconds: T): T extends number ? Date : null;
export function toDate(microseconds: number | null): Date | null {
  return microseconds === null ? null : new Date(Math.floor(microseconds / 1000));
}
