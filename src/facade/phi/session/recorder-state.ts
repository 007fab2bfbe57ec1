// The state of a recorder: the sessions that it knows, as plain data that is never changed in place, and the steps that read and replace parts of
// it.

import { isObject } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import { positionOf, putAt } from "./known-loops.ts";
import type { LoopEvent, LoopRecord, SessionData } from "./loop-session.ts";

/**
 * When a recorder begins a session: for each new `session_id`, or also after a time without activity. In the second case the session after a pause has
 * the id of the one before it with `~2`, `~3` and so on.
 */
export type SessionFormationPolicy = "PerSessionId" | { InactivityTimeout: { secs: number } };

/** The options of a recorder. */
export interface SessionRecorderConfig {
  /** Default: `PerSessionId`. */
  formation_policy: SessionFormationPolicy;
  /** Whether `MessageUpdate` events are recorded. Each of them contains the whole answer so far. Default: false. */
  include_streaming_events: boolean;
  /**
   * The number of sessions without changes that stay in memory after `drainCompleted`, so that later events are added to them. Of the others
   * only the ids stay. Default: 100.
   */
  retained_sessions: number;
}

/** A session of a recorder. */
export interface KnownSession {
  readonly data: SessionData;
  /** The `session_id` of its events. */
  readonly source_id: string;
  /** Whether `drainCompleted` has returned it in its current state. */
  readonly is_drained: boolean;
}

/**
 * A loop whose end was not recorded, with its last events: they are not in its record yet, so that the long list of a record is not copied for
 * each event.
 */
export interface RunningLoop {
  readonly loop_id: string;
  /** The number of the next event. */
  readonly next: number;
  readonly recent: readonly LoopEvent[];
}

/** What a recorder knows. Every step returns a new state; a state is never changed. */
export interface RecorderState {
  readonly config: SessionRecorderConfig;
  readonly sessions: readonly KnownSession[];
  /** The loops whose end was not recorded. */
  readonly running: readonly RunningLoop[];
  /** The branches that were announced and whose evaluation has not ended. */
  readonly groups: readonly { readonly session_id: string; readonly loop_ids: readonly string[] }[];
  /** The sessions that are no longer in memory: a session that began once more would replace the stored one. */
  readonly forgotten: readonly { readonly session_id: string; readonly source_id: string }[];
}

/** Creates the state of a recorder without sessions. Throws a LoopError for a wrong option. */
export function newRecorderState(options: Partial<SessionRecorderConfig> = {}): RecorderState {
  const config: SessionRecorderConfig = {
    formation_policy: "PerSessionId",
    include_streaming_events: false,
    retained_sessions: 100,
  };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(config, name)) {
      const known = Object.keys(config).join(", ");
      throw new LoopError(`There is no option \`${name}\` of a recorder. The options are ${known}.`);
    }
    if (value !== undefined) Object.assign(config, { [name]: value });
  }
  const { formation_policy, include_streaming_events, retained_sessions } = config;
  const secs = isObject(formation_policy) ? timeoutOf(formation_policy) : 0;
  if (formation_policy !== "PerSessionId" && !isObject(formation_policy))
    throw wrong("formation_policy", '"PerSessionId" or { InactivityTimeout: { secs } }');
  if (!(Number.isFinite(secs) && secs >= 0))
    throw wrong("formation_policy", "{ InactivityTimeout: { secs } }, secs at least 0");
  if (typeof include_streaming_events !== "boolean") throw wrong("include_streaming_events", "true or false");
  if (!(Number.isSafeInteger(retained_sessions) && retained_sessions >= 0))
    throw wrong("retained_sessions", "a whole number of at least 0");
  return { config, sessions: [], running: [], groups: [], forgotten: [] };
}

function timeoutOf(policy: Record<string, unknown>): number {
  const timeout = policy["InactivityTimeout"];
  return isObject(timeout) && typeof timeout["secs"] === "number" ? timeout["secs"] : Number.NaN;
}

function wrong(name: string, expected: string): LoopError {
  return new LoopError(`The option \`${name}\` of the recorder has to be ${expected}.`);
}

/** Whether a loop waits for its beginning or its end. */
export function isOpen({ status }: LoopRecord): boolean {
  return status === "Pending" || status === "Running";
}

/** Whether the beginning of a loop was recorded. */
export function hasStarted({ events }: LoopRecord): boolean {
  return events.some(({ event }) => event.type === "AgentStart");
}

/** Whether the end of a loop was recorded. It is the last event of the loop. */
export function hasEnded({ events }: LoopRecord): boolean {
  return events.at(-1)?.event.type === "AgentEnd";
}

/** The loop with an id, in any session; null if there is none. */
export function findLoop({ sessions }: RecorderState, loopId: string): LoopRecord | null {
  // Most events are of the latest sessions and loops.
  for (let at = sessions.length - 1; at >= 0; at -= 1) {
    const { loops = [] } = sessions[at]?.data ?? {};
    const found = loops[positionOf(loops, loopId)];
    if (found !== undefined) return found;
  }
  return null;
}

/** The session with an id; null if there is none. */
export function findSession({ sessions }: RecorderState, sessionId: string): KnownSession | null {
  return sessions.find(({ data }) => data.session_id === sessionId) ?? null;
}

/** Replaces the data of one session. */
export function withSession(
  state: RecorderState,
  sessionId: string,
  change: (data: SessionData) => SessionData,
): RecorderState {
  const sessions = state.sessions.map((known) => {
    if (known.data.session_id !== sessionId) return known;
    const data = change(known.data);
    return data === known.data ? known : { ...known, data, is_drained: false };
  });
  return { ...state, sessions };
}

/** Replaces one loop. Changes nothing for an id that is not known, or if `change` returns the same record. */
export function withLoop(
  state: RecorderState,
  loopId: string,
  change: (record: LoopRecord) => LoopRecord,
): RecorderState {
  const record = findLoop(state, loopId);
  if (record === null) return state;
  const changed = change(record);
  if (changed === record) return state;
  return withSession(state, record.session_id, (data) => ({
    ...data,
    loops: putAt(data.loops, positionOf(data.loops, loopId), changed),
  }));
}

/** Adds the last events of all loops to their records. */
export function withRecent(state: RecorderState): RecorderState {
  const waiting = state.running.filter(({ recent }) => recent.length > 0);
  if (waiting.length === 0) return state;
  const running = state.running.map((one) => (one.recent.length > 0 ? { ...one, recent: [] } : one));
  let next: RecorderState = { ...state, running };
  for (const { loop_id, recent } of waiting) next = addEvents(next, loop_id, recent);
  return next;
}

/** Adds events to the record of a loop. */
export function addEvents(state: RecorderState, loopId: string, events: readonly LoopEvent[]): RecorderState {
  return withLoop(state, loopId, (record) => ({ ...record, events: [...record.events, ...events] }));
}

/** Adds a loop to its session, or replaces the one with its id. Loops are in the order of their beginning. */
export function putLoop(state: RecorderState, record: LoopRecord): RecorderState {
  return withSession(state, record.session_id, (data) => ({ ...data, loops: withRecord(data.loops, record) }));
}

function withRecord(loops: readonly LoopRecord[], record: LoopRecord): LoopRecord[] {
  const known = positionOf(loops, record.loop_id);
  const at = known === -1 ? loops.length : known;
  const [before = record, after = record] = [loops[at - 1], loops[at + 1]];
  // Most loops begin after all others.
  if (compareLoops(before, record) <= 0 && compareLoops(record, after) <= 0) return putAt(loops, at, record);
  return [...loops.filter((_one, other) => other !== known), record].toSorted(compareLoops);
}

/** The order of loops does not depend on the order in which their events arrive. */
function compareLoops(one: LoopRecord, other: LoopRecord): number {
  return compareTimes(one.started_at, other.started_at) || compareTexts(one.loop_id, other.loop_id);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Compares RFC 3339 times, which may differ in their precision and zone. */
export function compareTimes(one: string, other: string): number {
  return Date.parse(one) - Date.parse(other) || compareTexts(one, other);
}
