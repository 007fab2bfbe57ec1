// The server's types, for tests written in TypeScript.

/** Starts the server on a free port of the loopback. */
export declare function startApiServer(): Promise<{ url: string; close: () => Promise<void> }>;
