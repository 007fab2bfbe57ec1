// Fault points: named places where a test can kill the object. In production they do nothing.

/** Contract: resolves at once, or never, because the object was killed. */
export interface Faults {
  at(name: string): Promise<void>;
}

/** The port without faults. */
export const noFaults: Faults = { at: () => Promise.resolve() };
