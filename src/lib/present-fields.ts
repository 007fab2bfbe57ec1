// Leaves out the fields of an object that have no value.

/** A copy of the object without the fields whose value is undefined. */
export function presentFields<T extends object>(fields: T): { [F in keyof T]?: Exclude<T[F], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
