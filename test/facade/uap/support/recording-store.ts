// A store of checkpoints that keeps everything that is saved.

import type { CheckpointStore } from "#facade/uap/checkpoint-store.ts";
import type { AgentStateJSON } from "#facade/uap/state-json.ts";

/** A store in memory, and the saved checkpoints in order. */
export function memoryStore(): {
  saved: { sessionId: string; state: AgentStateJSON }[];
  store: CheckpointStore;
} {
  const saved: { sessionId: string; state: AgentStateJSON }[] = [];
  return {
    saved,
    store: {
      save: (sessionId, state) => {
        saved.push({ sessionId, state });
        return Promise.resolve();
      },
      load: (sessionId) => Promise.resolve(saved.findLast((item) => item.sessionId === sessionId)?.state ?? null),
      delete: () => Promise.resolve(),
      list: () => Promise.resolve([...new Set(saved.map(({ sessionId }) => sessionId))]),
    },
  };
}
