// The server's types, for tests written in TypeScript.

/** A running model server. */
export interface ModelServer {
  url: string;
  port: number;
  /** The seed of the offsets at which answers are cut into pieces; printed, so that a failure can be repeated. */
  seed: number;
  close: () => Promise<void>;
}

/** Starts the server; port 0 takes a free one. */
export declare function startModelServer(options?: {
  port?: number;
  recordedDir?: string | null;
  seed?: number;
}): Promise<ModelServer>;
