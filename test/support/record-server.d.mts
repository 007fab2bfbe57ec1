// The type of a running server, for tests written in TypeScript.

/** A running server. */
export interface TestServer {
  url: string;
  close: () => Promise<void>;
}
