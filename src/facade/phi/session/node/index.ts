// The entry `threadhold/loop/sessions/node`: sessions as files. It runs in Node.

export {
  deleteSession,
  fileSessions,
  listSessionIds,
  loadSession,
  loadSessionsForAgent,
  saveSession,
} from "./file-sessions.ts";
export type { FileSessionOptions } from "./file-sessions.ts";
