// The package entry `threadhold/agents/checkpoint/node`: checkpoints as files. It runs in Node.

export type { CheckpointEncryption } from "./checkpoint-codec.ts";
export { fileCheckpoints } from "./file-checkpoints.ts";
export type { FileCheckpointOptions } from "./file-checkpoints.ts";
