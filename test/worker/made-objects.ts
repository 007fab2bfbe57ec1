// Counts the thread objects that were created. Each one is a thread that was woken.

/** The number of objects since the Worker started. */
export const madeObjects = { count: 0 };
