// The metadata of a checkpoint: created when a state is saved, and validated when it is read.

import { z } from "zod";

import { fieldsOf } from "#lib/json-value.ts";

import type { CheckpointMetadata } from "../checkpoint-store.ts";
import type { AgentStateJSON } from "../state-json.ts";

const metadataSchema: z.ZodType<CheckpointMetadata> = z.object({
  sessionId: z.string(),
  checkpointId: z.string(),
  timestamp: z.iso.datetime(),
  step: z.number(),
  agentId: z.string(),
});

/** Creates the metadata of a checkpoint that is saved now. */
export function newMetadata(sessionId: string, state: AgentStateJSON): CheckpointMetadata {
  return metadataOf({ sessionId, state, checkpointId: crypto.randomUUID(), time: new Date() });
}

/** Creates the metadata of a checkpoint that was saved without metadata. Its `checkpointId` is the id of the state. */
export function restoredMetadata(sessionId: string, state: AgentStateJSON, time: Date): CheckpointMetadata {
  return metadataOf({ sessionId, state, checkpointId: state.id, time });
}

/** Validates the metadata of a session's checkpoint. Returns null for any other value. */
export function readMetadata(sessionId: string, value: unknown): CheckpointMetadata | null {
  const { success, data } = metadataSchema.safeParse(value);
  return success && data.sessionId === sessionId ? data : null;
}

interface Parts {
  sessionId: string;
  state: AgentStateJSON;
  checkpointId: string;
  time: Date;
}

function metadataOf({ sessionId, state, checkpointId, time }: Parts): CheckpointMetadata {
  const { agentId } = fieldsOf(state.metadata);
  const timestamp = time.toISOString();
  return { sessionId, checkpointId, timestamp, step: state.step, agentId: typeof agentId === "string" ? agentId : "" };
}
