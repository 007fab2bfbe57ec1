// A state that the types or the callers of a function exclude.

/** Throws: the program has a bug, because the state that `reason` describes cannot occur. */
export function unreachable(reason: string): never {
  throw new Error(`Unreachable: ${reason}`);
}
