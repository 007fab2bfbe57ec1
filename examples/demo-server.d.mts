// The server's types, for tests written in TypeScript.

/** Starts the server on the loopback. The port 0 is any free port. */
export declare function startDemoServer(port: number): Promise<{ url: string; close: () => Promise<void> }>;
