// The entry `threadhold/loop/sessions`: records of loops as sessions, and stores that do not need Node. The entry
// `threadhold/loop/sessions/node` has the store of files.

export { flushSessions, drainSessions, SessionRecorder } from "./session-recorder.ts";
export { foldSession } from "./fold-session.ts";
export type { LoopSettings } from "./loop-settings.ts";
export { settingsSnapshot } from "./loop-settings.ts";
export { newRecorderState } from "./recorder-state.ts";
export type {
  KnownSession,
  RecorderState,
  RunningLoop,
  SessionFormationPolicy,
  SessionRecorderConfig,
} from "./recorder-state.ts";
export { Session } from "./loop-session.ts";
export type {
  ChildLoopRef,
  LoopConfigSnapshot,
  LoopEvent,
  LoopRecord,
  LoopStatus,
  ParallelGroupRecord,
  SessionData,
  SessionFormation,
  SpawnRef,
} from "./loop-session.ts";
export { SessionError } from "./session-error.ts";
export type { SessionErrorKind } from "./session-error.ts";
export { memorySessions } from "./session-store.ts";
export type { SessionStore } from "./session-store.ts";
export { sessionStoreContract } from "./session-store-contract.ts";
export type { StoreCase, WithEmptyStore } from "./session-store-contract.ts";
export { threadSessions } from "./thread-sessions.ts";
export type { SessionFiles } from "./thread-sessions.ts";
