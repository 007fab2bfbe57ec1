// The interface of a store of checkpoints. An execution saves its state in the store after each step.

import type { AgentStateJSON } from "./state-json.ts";

/** Metadata of the last checkpoint of a session. */
export interface CheckpointMetadata {
  sessionId: string;
  /** A UUIDv4, new for each checkpoint. */
  checkpointId: string;
  /** ISO 8601. */
  timestamp: string;
  /** The number of the step that the checkpoint was saved after. */
  step: number;
  agentId: string;
}

/** Stores the last state of each session. Each function rejects if it fails; an execution logs the failure of a save and continues. */
export interface CheckpointStore {
  /** Saves the state as the session's last one. The state's metadata contains `sessionId` and `agentId`. */
  save(sessionId: string, state: AgentStateJSON): Promise<void>;
  /** Returns the last saved state; null for none. */
  load(sessionId: string): Promise<AgentStateJSON | null>;
  /** Returns the metadata of the last checkpoint, without its state; null for none. */
  loadMetadata?(sessionId: string): Promise<CheckpointMetadata | null>;
  /** Deletes the checkpoints of a session. */
  delete(sessionId: string): Promise<void>;
  /** Lists the sessions with a checkpoint. */
  list(): Promise<string[]>;
}
