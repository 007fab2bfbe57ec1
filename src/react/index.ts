// The public entry `threadhold/react`.

export type { Frame } from "./frame.ts";
export { ThreadholdProvider, useThreadholdClient } from "./provider.ts";
export type { ThreadholdProviderProps } from "./provider.ts";
export { useThread, useThreadState } from "./use-thread.ts";
export type { Siblings } from "./thread-source.ts";
export type { UsedThread } from "./use-thread.ts";
export { useThreads } from "./use-threads.ts";
export type { UsedThreads } from "./use-threads.ts";
