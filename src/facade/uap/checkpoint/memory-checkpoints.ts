// Checkpoints in memory: for tests, and for sessions that end with their process.

import type { CheckpointMetadata, CheckpointStore } from "../checkpoint-store.ts";
import { newMetadata } from "./checkpoint-metadata.ts";
import { stateOfText } from "./checkpoint-text.ts";
import { checkedSession } from "./session-name.ts";

/** Keeps checkpoints in memory, as JSON. */
export function memoryCheckpoints(): Required<CheckpointStore> {
  const sessions = new Map<string, { text: string; metadata: CheckpointMetadata }>();
  return {
    async save(sessionId, state) {
      const metadata = newMetadata(checkedSession(sessionId), state);
      sessions.set(sessionId, { text: JSON.stringify(state), metadata });
    },
    async load(sessionId) {
      const saved = sessions.get(checkedSession(sessionId));
      return saved === undefined ? null : stateOfText(sessionId, saved.text);
    },
    async loadMetadata(sessionId) {
      const saved = sessions.get(checkedSession(sessionId));
      return saved === undefined ? null : { ...saved.metadata };
    },
    async delete(sessionId) {
      sessions.delete(checkedSession(sessionId));
    },
    async list() {
      return [...sessions.keys()].toSorted();
    },
  };
}
