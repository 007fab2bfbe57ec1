// Sessions across the RPC border: an execute request on its way to its thread, and what a session shows (agent API rework
// plan over threads).

import type { Message } from "#contract/message.ts";
import type { Limits, Run } from "#contract/run.ts";
import type { SessionContext, SessionOptions } from "#contract/session/execute-input.ts";
import type { ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import type { SessionToolCall } from "#contract/session/session-message.ts";
import type { Thread } from "#contract/thread.ts";

import type { RequestKey } from "./thread-rpc.ts";

/** Which session of whom. */
export interface SessionPlace {
  /** What the client calls it. */
  session_id: string;
  thread_id: string;
  /**
   * Set where the thread's id was made from the session's and its owner: the thread has to be that owner's session of that
   * name, whoever may reach it otherwise.
   */
  derived: boolean;
  /** Who owns the thread. */
  owner: string | null;
}

/** An execute request. */
export interface SessionExecution extends SessionPlace {
  input: UserInput | ToolResultInput[];
  /** Null in a request that only goes on. */
  context: SessionContext | null;
  options: SessionOptions;
  limits: Limits | null;
  key: RequestKey | null;
}

/** What an execute request became. */
export interface Execution {
  run: Run;
  /** Subscribe after this number to miss nothing. */
  after: number;
  /** Set where the run rests as it did, since answers are lacking: the calls that are open. */
  rests: SessionToolCall[] | null;
  /** Names of the client's tools. */
  client_tools: string[];
}

/** A message of a session with why it broke off; null for an error that left no word. */
export interface SessionEntry {
  message: Message | null;
  error: string | null;
}

/** A session as far as a page of its messages goes. */
export interface SessionPage {
  thread: Thread;
  /** The model that answered last, or that will answer; null where it is not known. */
  model: string | null;
  pending: SessionToolCall[];
  /** USD, the active run's included; null where a price is missing. */
  cost: number | null;
  entries: SessionEntry[];
  next_cursor: string | null;
}

/** The methods of a thread's object for sessions. Contract: as `ThreadMethods`. */
export interface SessionMethods {
  /** Makes the session where there is none, and takes the input. */
  executeSession(execution: SessionExecution): Execution;
  readSession(place: SessionPlace, cursor: string | null): SessionPage;
}
