// The oldest Node that the package supports. The program reads it before it loads modules that an older Node cannot load.

/** The major and the minor number. */
export const oldestNode = [20, 19] as const;
