// The sessions of new loops: when a session begins, how it was formed, and its times. Times are compared, so that they do not depend on the order of
// events.

import type { SessionFormation } from "./loop-session.ts";
import { compareTimes, findSession, isOpen, withSession } from "./recorder-state.ts";
import type { KnownSession, RecorderState } from "./recorder-state.ts";
import { SessionError } from "./session-error.ts";

/** What an event states about the session of a new loop. */
interface Place {
  session_id: string;
  agent_id: string;
  timestamp: string;
}

/**
 * The session that a new loop belongs to, which begins if the policy requires a new one. Throws a SessionError for a session that is no longer
 * in memory: the new one would have its id, and none of its loops.
 */
export function placeIn(state: RecorderState, place: Place): { next: RecorderState; sessionId: string } {
  const { session_id: source_id, timestamp } = place;
  const latest = state.sessions.findLast((known) => known.source_id === source_id);
  const pause = latest === undefined ? null : pauseOf(state, latest, timestamp);
  if (latest !== undefined && pause === null) return { next: state, sessionId: latest.data.session_id };
  const sessionId = latest === undefined ? source_id : nextPart(source_id, latest.data.session_id);
  const forgotten = state.forgotten.findLast(
    (one) => one.session_id === sessionId || (latest === undefined && one.source_id === source_id),
  );
  if (forgotten !== undefined)
    throw new SessionError(
      "NotInMemory",
      `The session ${JSON.stringify(forgotten.session_id)} is no longer in the memory of the recorder, which retains ` +
        `${state.config.retained_sessions} sessions. Load it, pass it to \`resume\`, and record the event once more.`,
    );
  const formation: SessionFormation =
    latest === undefined || pause === null
      ? formationOf(state, place)
      : {
          InactivityTimeout: { threshold_secs: pause, previous_session_id: latest.data.session_id, timestamp },
        };
  const data = {
    session_id: sessionId,
    agent_id: place.agent_id,
    created_at: timestamp,
    last_active_at: timestamp,
    formation,
    parent_spawn_ref: null,
    loops: [],
  };
  return { next: { ...state, sessions: [...state.sessions, { data, source_id, is_drained: false }] }, sessionId };
}

/** The threshold, if the session was without activity for longer; else null. A session with a loop that runs is active. */
function pauseOf({ config }: RecorderState, { data }: KnownSession, timestamp: string): number | null {
  const { formation_policy: policy } = config;
  if (policy === "PerSessionId" || data.loops.some(isOpen)) return null;
  const { secs } = policy.InactivityTimeout;
  return Date.parse(timestamp) - Date.parse(data.last_active_at) > secs * 1000 ? secs : null;
}

function nextPart(sourceId: string, latestId: string): string {
  const number = latestId === sourceId ? 1 : Number(latestId.slice(sourceId.length + 1));
  return `${sourceId}~${number + 1}`;
}

function formationOf({ sessions }: RecorderState, { session_id, agent_id, timestamp }: Place): SessionFormation {
  const hasOther = sessions.some(
    ({ data, source_id }) => agent_id !== "" && data.agent_id === agent_id && source_id !== session_id,
  );
  return hasOther ? { Explicit: { timestamp } } : { FirstLoop: { timestamp } };
}

/** Gives a session that only has announced branches its agent, and sets the times of the session. */
export function adopt(state: RecorderState, place: Place): RecorderState {
  const { session_id, agent_id, timestamp } = place;
  const known = findSession(state, session_id);
  if (known?.data.agent_id !== "") return touch(state, session_id, timestamp);
  const isPart = "InactivityTimeout" in known.data.formation;
  const created = { ...place, session_id: known.source_id, timestamp: known.data.created_at };
  const formation = isPart ? known.data.formation : formationOf(state, created);
  return touch(
    withSession(state, session_id, (data) => ({ ...data, agent_id, formation })),
    session_id,
    timestamp,
  );
}

/** Extends the time of a session to a time of its events. */
export function touch(state: RecorderState, sessionId: string, timestamp: string): RecorderState {
  return withSession(state, sessionId, (data) => {
    const isFirst = compareTimes(timestamp, data.created_at) < 0;
    const isLast = compareTimes(timestamp, data.last_active_at) > 0;
    if (!isFirst && !isLast) return data;
    const [[name, how] = ["FirstLoop", {}]] = Object.entries(data.formation);
    return {
      ...data,
      ...(isFirst ? { created_at: timestamp, formation: { [name]: { ...how, timestamp } } as SessionFormation } : {}),
      ...(isLast ? { last_active_at: timestamp } : {}),
    };
  });
}
