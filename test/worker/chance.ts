// The random number of all objects. A random factor of a pause is 1 at this value, so tests know the pauses; a test may set another one.

/** The number that every object gets, from 0 up to 1. */
export const chance = { next: 0.5 };
