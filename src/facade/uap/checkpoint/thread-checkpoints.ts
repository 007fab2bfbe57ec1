// Checkpoints in the files of a thread, for agents that run in a tool of the thread. Each session has one file. The metadata
// of the checkpoint is stored as the metadata of the file, so both are written at once.

import { WriteQueues } from "#lib/write-queue.ts";
import type { ThreadState } from "#spec/thread-state.ts";

import type { CheckpointStore } from "../checkpoint-store.ts";
import { newMetadata, readMetadata, restoredMetadata } from "./checkpoint-metadata.ts";
import { stateOfText } from "./checkpoint-text.ts";
import { nameOfSession, sessionOfName } from "./session-name.ts";

const folder = "/.checkpoints";
const ending = ".json";

/** The functions for a thread's files that the store calls. The `state` of a tool has them. */
export type CheckpointFiles = Pick<ThreadState, "writeFile" | "readFile" | "statFile" | "readdirFile" | "unlinkFile">;

/** Keeps checkpoints as files of a thread, in the folder `/.checkpoints`. `state` is that of the tool in which the agent runs. */
export function threadCheckpoints(state: CheckpointFiles): Required<CheckpointStore> {
  const queues = new WriteQueues();

  async function read(sessionId: string) {
    const bytes = await state.readFile(pathOf(sessionId));
    return bytes === null ? null : stateOfText(sessionId, new TextDecoder().decode(bytes));
  }

  return {
    async save(sessionId, saved) {
      const path = pathOf(sessionId);
      const text = JSON.stringify(saved);
      const metadata = { ...newMetadata(sessionId, saved) };
      await queues.of(path).save(async () => {
        await state.writeFile(path, text, "application/json", { metadata });
      });
    },
    async load(sessionId) {
      await queues.settled(pathOf(sessionId));
      return read(sessionId);
    },
    async loadMetadata(sessionId) {
      const path = pathOf(sessionId);
      await queues.settled(path);
      const file = await state.statFile(path);
      if (file === null) return null;
      const metadata = readMetadata(sessionId, file.metadata);
      if (metadata !== null) return metadata;
      const saved = await read(sessionId);
      return saved === null ? null : restoredMetadata(sessionId, saved, new Date((file.updatedAt ?? 0) / 1000));
    },
    async delete(sessionId) {
      const path = pathOf(sessionId);
      await queues.of(path).delete(async () => {
        if ((await state.statFile(path)) !== null) await state.unlinkFile(path);
      });
    },
    async list() {
      await queues.allSettled();
      if ((await state.statFile(folder)) === null) return [];
      const { entries } = await state.readdirFile(folder);
      const sessions = entries.map(({ name, isDirectory }) =>
        isDirectory || !name.endsWith(ending) ? null : sessionOfName(name.slice(0, -ending.length)),
      );
      return sessions.filter((sessionId) => sessionId !== null).toSorted();
    },
  };
}

function pathOf(sessionId: string): string {
  return `${folder}/${nameOfSession(sessionId)}${ending}`;
}
