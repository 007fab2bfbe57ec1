// Variables that a test changes for the objects of all threads.

export const changedVariables: Record<string, unknown> = {};
