// Counts the objects of threads that were made: each is a thread that was woken.

/** Since the Worker started. */
export const madeObjects = { count: 0 };
