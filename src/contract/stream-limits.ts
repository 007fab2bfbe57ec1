// Limits of the subscriber protocol: frames from an object to a reader, and acknowledgements back (architecture §5.7).

/** A reader acknowledges after this many bytes at the latest. */
export const acknowledgeBytes = 64 * 1024;

/** A reader acknowledges after this many milliseconds at the latest. */
export const acknowledgeIntervalMs = 1000;

/**
 * The object stops sending to a reader with more than this many unacknowledged characters. It sends the missed events later, with deltas
 * merged.
 */
export const acknowledgeWindow = 256 * 1024;

/** A reader that has never acknowledged an event is closed when frames of more than this many characters were not sent to it. */
export const unacknowledgedLimit = 4 * 1024 * 1024;

/**
 * Characters that all readers of one thread may hold together beyond `acknowledgeWindow` of each: large frames, and parts of replays.
 * At this total no frame that goes beyond a reader's own window is sent until one of them acknowledges.
 */
export const sharedWindowLimit = 16 * 1024 * 1024;

/** While a reader waits for the shared window, every reader that acknowledges nothing for this many milliseconds is closed. */
export const silentReaderMs = 10_000;

/** Maximal number of watchers of one feed. */
export const mostWatchers = 200;

/** A feed closes a watcher with this many unacknowledged characters. The client subscribes again and lists the threads. */
export const watcherWindow = 512 * 1024;

/** Close code of a socket whose token has expired. A client may open it again with a new token. */
export const expiredCloseCode = 4440;
