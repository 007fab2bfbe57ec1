// Figures of the one subscriber protocol: frames from the thread's object to a reader, and acknowledgements back
// (architecture §5.7).

/** A reader acknowledges after this many bytes at the latest. */
export const acknowledgeBytes = 64 * 1024;

/** A reader acknowledges after this many milliseconds at the latest. */
export const acknowledgeIntervalMs = 1000;

/** The object stops sending to a reader with this much unacknowledged, and catches up with merged deltas later. */
export const acknowledgeWindow = 256 * 1024;

/** A reader that never acknowledged anything is closed after this many bytes. */
export const unacknowledgedLimit = 4 * 1024 * 1024;

/**
 * Characters that all readers of one thread may hold together beyond `acknowledgeWindow` of each: large frames, and parts of replays.
 * At this total no frame that goes beyond a reader's own window is sent until one of them acknowledges.
 */
export const sharedWindowLimit = 16 * 1024 * 1024;

/** While a reader waits for the shared window, one that acknowledges nothing for this many milliseconds is closed. */
export const silentReaderMs = 10_000;

/** Watchers of one feed at the same time. */
export const mostWatchers = 200;

/** A feed lets a watcher go that has this many characters unacknowledged; it comes back and lists. */
export const watcherWindow = 512 * 1024;

/** Close code of a socket whose token has expired. A client may open it again with a new token. */
export const expiredCloseCode = 4440;
