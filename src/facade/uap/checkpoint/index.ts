// The package entry `threadhold/agents/checkpoint`: stores that run everywhere. Files of Node are an entry of their own.

export type { CheckpointMetadata, CheckpointStore } from "../checkpoint-store.ts";
export { memoryCheckpoints } from "./memory-checkpoints.ts";
export { threadCheckpoints } from "./thread-checkpoints.ts";
export type { CheckpointFiles } from "./thread-checkpoints.ts";
