// Records the events of loops as sessions (REQ-214). The recorder holds the state of a fold, and gives away copies.

import { copyAsJson } from "#lib/text-sharing-copy.ts";

import { LoopError } from "../loop-error.ts";
import type { AgentEvent } from "../loop-event.ts";
import { foldSession } from "./fold-session.ts";
import { positionOf } from "./known-loops.ts";
import { Session } from "./loop-session.ts";
import type { LoopRecord, SessionData } from "./loop-session.ts";
import { settingsSnapshot } from "./loop-settings.ts";
import type { LoopSettings } from "./loop-settings.ts";
import { compareTimes, findLoop, findSession, isOpen, newRecorderState, withRecent } from "./recorder-state.ts";
import type { KnownSession, RecorderState, SessionRecorderConfig } from "./recorder-state.ts";
import { readSession } from "./session-codec.ts";
import { SessionError } from "./session-error.ts";

/** Sets all loops that have not ended to `Aborted`. A later end of such a loop completes it. */
export function flushSessions(given: RecorderState): RecorderState {
  const state = withRecent(given);
  const sessions = state.sessions.map((known): KnownSession => {
    if (!known.data.loops.some(isOpen)) return known;
    const loops = known.data.loops.map((record): LoopRecord =>
      isOpen(record) ? { ...record, status: "Aborted" } : record,
    );
    return { ...known, data: { ...known.data, loops }, is_drained: false };
  });
  return { ...state, sessions };
}

/**
 * Takes the sessions that have changed since the last time and have no loop that runs. They stay known, up to `retained_sessions`, so that later
 * events are added to the whole session.
 */
export function drainSessions(given: RecorderState): { state: RecorderState; drained: SessionData[] } {
  const state = withRecent(given);
  const isReady = ({ data, is_drained }: KnownSession): boolean => !is_drained && !data.loops.some(isOpen);
  const drained = state.sessions.filter(isReady).map(({ data }) => data);
  const sessions = state.sessions.map((known) => (isReady(known) ? { ...known, is_drained: true } : known));
  return { state: forgetOld({ ...state, sessions }), drained };
}

/** The ids of dropped sessions that are kept, the newest ones. A loop of an older session begins a new session. */
const mostForgotten = 10_000;

/** Forgets the sessions that are drained and were active the longest ago, unless an event is to follow that changes them. Their ids stay. */
function forgetOld(state: RecorderState): RecorderState {
  const idle = state.sessions.filter(({ data, is_drained }) => is_drained && !isAwaited(state, data));
  const oldest = idle.toSorted((one, other) => compareTimes(one.data.last_active_at, other.data.last_active_at));
  const dropped = new Set(oldest.slice(0, Math.max(0, idle.length - state.config.retained_sessions)));
  if (dropped.size === 0) return state;
  const ids = [...dropped].map(({ data, source_id }) => ({ session_id: data.session_id, source_id }));
  return {
    ...state,
    sessions: state.sessions.filter((known) => !dropped.has(known)),
    forgotten: [...state.forgotten, ...ids].slice(-mostForgotten),
  };
}

/** Whether an event is to follow: the end of a flushed loop, of an evaluation, or of the call that began the session. */
function isAwaited(state: RecorderState, { session_id, parent_spawn_ref: spawn, loops }: SessionData): boolean {
  const parentId = spawn?.tool_call_id === "" ? spawn.parent_loop_id : null;
  return (
    state.running.some(({ loop_id }) => loop_id === parentId || positionOf(loops, loop_id) !== -1) ||
    state.groups.some((group) => group.session_id === session_id)
  );
}

/** Records the events of any number of loops, also if they are interleaved. */
export class SessionRecorder {
  #state: RecorderState;

  /** Throws a LoopError for a wrong option. */
  constructor(config: Partial<SessionRecorderConfig> = {}) {
    this.#state = newRecorderState(config);
  }

  /** What the recorder knows, as plain data. */
  get state(): RecorderState {
    return this.#state;
  }

  /**
   * Records an event. The recorder needs every event of a loop. `settings`, which is the agent or the config of the loop, adds the options of the model to
   * the record at `AgentStart`. Throws a SessionError for an event that JSON cannot write, and one of the kind `NotInMemory` for the beginning of a loop of
   * a session that `drainCompleted` removed: `resume` the stored session, then record the event once more.
   */
  onEvent(event: AgentEvent, settings?: LoopSettings): void {
    const isSkipped = event.type === "MessageUpdate" && !this.#state.config.include_streaming_events;
    const config = settings === undefined || !isOf(event, settings) ? null : settingsSnapshot(settings);
    this.#state = foldSession(this.#state, isSkipped ? event : copyOf(event), config);
  }

  /** Sets all loops that have not ended to `Aborted`, such as before the process ends. A later end of such a loop completes it. */
  flush(): void {
    this.#state = flushSessions(this.#state);
  }

  /**
   * Returns the sessions that have changed since the last call and have no loop that runs, to save them. A session that changes afterwards is
   * returned again, whole. Then removes the oldest sessions above `retained_sessions`.
   */
  drainCompleted(): Session[] {
    const { state, drained } = drainSessions(this.#state);
    this.#state = state;
    return drained.map(copyOfSession);
  }

  /**
   * Continues a session that was saved, so that later loops are added to it. Call it before the first loop in a new process, and before the next loop of a
   * session that is no longer in memory. Throws a LoopError if
   * the recorder knows the session already, and a SessionError for a value that is no session.
   */
  resume(session: SessionData): void {
    const data = readSession(structuredClone({ ...session }));
    if (findSession(this.#state, data.session_id) !== null)
      throw new LoopError(
        `The recorder already knows the session ${JSON.stringify(data.session_id)}. Only a session of another process is resumed.`,
      );
    const isPart = "InactivityTimeout" in data.formation;
    const source_id = isPart ? data.session_id.replace(/~\d+$/, "") : data.session_id;
    this.#state = {
      ...this.#state,
      sessions: [...this.#state.sessions, { data, source_id, is_drained: true }],
      forgotten: this.#state.forgotten.filter(({ session_id }) => session_id !== data.session_id),
    };
  }

  /** All sessions that the recorder knows, also those with a loop that runs. */
  sessions(): Session[] {
    return withRecent(this.#state).sessions.map(({ data }) => copyOfSession(data));
  }

  /** The session with this id; null if the recorder does not know it. */
  getSession(sessionId: string): Session | null {
    const known = findSession(withRecent(this.#state), sessionId);
    return known === null ? null : copyOfSession(known.data);
  }

  /** The loop with this id that has not ended; null if there is none. */
  currentLoop(loopId: string): LoopRecord | null {
    const record = findLoop(withRecent(this.#state), loopId);
    return record === null || !isOpen(record) ? null : structuredClone(record);
  }
}

/** Whether an event begins a loop of these settings. The events of sub-agents arrive in the channel of their parent. */
function isOf(event: AgentEvent, { agentId }: LoopSettings): boolean {
  return event.type === "AgentStart" && (agentId === undefined || agentId === event.agent_id);
}

function copyOfSession(data: SessionData): Session {
  return new Session(structuredClone(data));
}

/** A copy as JSON restores it, which later changes of the event's objects do not reach. */
function copyOf(event: AgentEvent): AgentEvent {
  try {
    return copyAsJson(event) as AgentEvent;
  } catch (cause) {
    throw new SessionError("InvalidSession", `An event ${event.type} cannot be written as JSON.`, { cause });
  }
}
