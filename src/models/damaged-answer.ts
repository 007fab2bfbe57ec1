// The error of an answer whose bytes were changed or cut on their way. It is classified like a connection that broke, with its own message.

/** The bytes of an answer are not those that the server sent, or some are missing. */
export class DamagedAnswer extends Error {}
