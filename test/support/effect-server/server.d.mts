// The server's types, for tests written in TypeScript.

/** A running server. */
export interface EffectServer {
  url: string;
  close: () => Promise<void>;
}

/** Starts a server on a free port of the loopback. */
export declare function startEffectServer(): Promise<EffectServer>;
