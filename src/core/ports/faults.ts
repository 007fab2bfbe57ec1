// Named places where a test may kill the object. In production every one is passed at once.

/** Contract: resolves at once, or never (the object is gone). */
export interface Faults {
  at(name: string): Promise<void>;
}

/** No faults. */
export const noFaults: Faults = { at: () => Promise.resolve() };
