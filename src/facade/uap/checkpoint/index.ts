// The package entry `threadhold/agents/checkpoint`: stores that do not need Node. The entry
// `threadhold/agents/checkpoint/node` has the store of files.

export type { CheckpointMetadata, CheckpointStore } from "../checkpoint-store.ts";
export { memoryCheckpoints } from "./memory-checkpoints.ts";
export { threadCheckpoints } from "./thread-checkpoints.ts";
export type { CheckpointFiles } from "./thread-checkpoints.ts";
