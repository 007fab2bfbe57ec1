// The collector's types, for tests written in TypeScript.

/** A running collector. */
export interface Collector {
  url: string;
  close: () => Promise<void>;
}

/** Starts a collector on a free port of the loopback. */
export declare function startCollector(): Promise<Collector>;
