// Folds the events of loops into sessions (REQ-213, 214, 221). The records do not depend on how the events of several loops are interleaved:
// times are compared, and references are set whichever of their two loops arrives first.
//
// Contract: pure. An event of a loop that is not known changes nothing, and so do a second beginning and a second end of a loop.

import type { AgentEvent, AgentEventOf } from "../loop-event.ts";
import { zeroTokens } from "../loop-messages.ts";
import { linkCall, linkStart } from "./loop-links.ts";
import type { LoopConfigSnapshot, LoopRecord, ParallelGroupRecord } from "./loop-session.ts";
import { settingsFromMessages } from "./loop-settings.ts";
import { addEvents, findLoop, hasEnded, hasStarted, putLoop, withLoop } from "./recorder-state.ts";
import type { RecorderState, RunningLoop } from "./recorder-state.ts";
import { adopt, placeIn, touch } from "./session-place.ts";

/**
 * Adds an event to the sessions. Returns the new state. `config` is the snapshot of the loop's options, which is used for `AgentStart`.
 */
export function foldSession(
  state: RecorderState,
  event: AgentEvent,
  config: LoopConfigSnapshot | null = null,
): RecorderState {
  switch (event.type) {
    case "ParallelLoopStart":
      return announceBranches(state, event);
    case "ParallelLoopEnd":
      return endGroup(state, event);
    case "AgentStart":
      return startLoop(state, event, config);
    case "AgentEnd":
      return endLoop(state, event);
    default:
      return addEvent(state, event);
  }
}

function announceBranches(state: RecorderState, event: AgentEventOf<"ParallelLoopStart">): RecorderState {
  const { loop_ids, timestamp } = event;
  const { next: placed, sessionId } = placeIn(state, { ...event, agent_id: "" });
  let next = placed;
  for (const loop_id of loop_ids) {
    if (findLoop(next, loop_id) === null)
      next = putLoop(next, newRecord({ loop_id, session_id: sessionId, started_at: timestamp }));
  }
  return { ...next, groups: [...next.groups, { session_id: sessionId, loop_ids }] };
}

/** Sets the group of each branch. A branch that has not begun by then never does. */
function endGroup(state: RecorderState, event: AgentEventOf<"ParallelLoopEnd">): RecorderState {
  const { selected_loop_id, selected_config_index, evaluation_usage, timestamp } = event;
  const group = state.groups.findLast(({ loop_ids }) => loop_ids.includes(selected_loop_id));
  const all_loop_ids = [...(group?.loop_ids ?? [selected_loop_id])];
  let next: RecorderState = { ...state, groups: state.groups.filter((one) => one !== group) };
  for (const id of all_loop_ids) {
    const parallel_group: ParallelGroupRecord = {
      all_loop_ids,
      selected_loop_id,
      selected_config_index,
      evaluation_usage,
      is_selected: id === selected_loop_id,
    };
    next = withLoop(next, id, (record) => ({
      ...record,
      parallel_group,
      ...(hasStarted(record) || record.ended_at !== null ? {} : { status: "Aborted", ended_at: timestamp }),
    }));
  }
  return next;
}

function startLoop(
  state: RecorderState,
  event: AgentEventOf<"AgentStart">,
  config: LoopConfigSnapshot | null,
): RecorderState {
  const { agent_id, loop_id, parent_loop_id, continuation_kind, timestamp, metadata } = event;
  const announced = findLoop(state, loop_id);
  if (announced !== null && hasStarted(announced)) return state;
  const placed = announced === null ? placeIn(state, event) : { next: state, sessionId: announced.session_id };
  const { sessionId } = placed;
  let next = adopt(placed.next, { ...event, session_id: sessionId });
  const base = announced ?? newRecord({ loop_id, session_id: sessionId, started_at: timestamp });
  const { others, numbered } = numberEvent(next, loop_id, event);
  next = { ...next, running: [...others, { ...numbered, recent: [] }] };
  next = putLoop(next, {
    ...base,
    events: [...base.events, ...numbered.recent],
    agent_id,
    parent_loop_id,
    continuation_kind,
    started_at: timestamp,
    ended_at: null,
    status: "Running",
    metadata,
    config,
  });
  return linkStart(next, event);
}

/** The end of a branch that has not begun: `before_loop` refused it, so that it is aborted. */
function endLoop(state: RecorderState, event: AgentEventOf<"AgentEnd">): RecorderState {
  const { loop_id, messages, usage, rejection, timestamp } = event;
  const record = findLoop(state, loop_id);
  if (record === null || hasEnded(record)) return state;
  const status = !hasStarted(record) ? "Aborted" : rejection === null ? "Completed" : "Rejected";
  const { others, numbered } = numberEvent(state, loop_id, event);
  const next = withLoop({ ...state, running: others }, loop_id, (open) => ({
    ...open,
    events: [...open.events, ...numbered.recent],
    status,
    ended_at: timestamp,
    rejection,
    messages,
    usage,
    config: open.config ?? settingsFromMessages(messages, open),
  }));
  return touch(next, record.session_id, timestamp);
}

function addEvent(
  state: RecorderState,
  event: Exclude<AgentEvent, { type: "AgentStart" | "AgentEnd" | "ParallelLoopStart" | "ParallelLoopEnd" }>,
): RecorderState {
  let isOver = false;
  if (!state.running.some(({ loop_id }) => loop_id === event.loop_id)) {
    const record = findLoop(state, event.loop_id);
    if (record === null) return state;
    // After its end a loop has no further events. A reference to a child is added all the same.
    isOver = hasEnded(record);
  }
  const next = isOver ? state : append(state, event.loop_id, event);
  if (event.type === "ToolExecutionEnd") return linkCall(next, event);
  if (event.type !== "TurnEnd") return next;
  return withLoop(next, event.loop_id, (open) =>
    open.config === null ? { ...open, config: settingsFromMessages([event.message], open) } : open,
  );
}

/** The number of events after which the last events of a loop are added to its record. */
const mostRecent = 256;

/** Numbers an event and adds it to the last events of its loop, or to its record if these are many. */
function append(state: RecorderState, loopId: string, event: AgentEvent): RecorderState {
  const { others, numbered } = numberEvent(state, loopId, event);
  const { recent } = numbered;
  if (recent.length < mostRecent) return { ...state, running: [...others, numbered] };
  return addEvents({ ...state, running: [...others, { ...numbered, recent: [] }] }, loopId, recent);
}

/**
 * Numbers an event. Returns its loop with its last events, and the other loops that run. An event that is not recorded is only numbered.
 */
function numberEvent(
  state: RecorderState,
  loopId: string,
  event: AgentEvent,
): { others: RunningLoop[]; numbered: RunningLoop } {
  const known = state.running.find(({ loop_id }) => loop_id === loopId);
  const last = known === undefined ? findLoop(state, loopId)?.events.at(-1) : undefined;
  const sequence = known?.next ?? (last === undefined ? 0 : last.sequence + 1);
  const isSkipped = event.type === "MessageUpdate" && !state.config.include_streaming_events;
  const earlier = known?.recent ?? [];
  const recent = isSkipped ? earlier : [...earlier, { sequence, event }];
  return {
    others: state.running.filter((one) => one !== known),
    numbered: { loop_id: loopId, next: sequence + 1, recent },
  };
}

function newRecord({
  loop_id,
  session_id,
  started_at,
}: Pick<LoopRecord, "loop_id" | "session_id" | "started_at">): LoopRecord {
  // A literal without a spread is several times faster.
  return {
    loop_id,
    session_id,
    agent_id: "",
    parent_loop_id: null,
    continuation_kind: null,
    started_at,
    ended_at: null,
    status: "Pending",
    rejection: null,
    config: null,
    messages: [],
    usage: zeroTokens(),
    metadata: null,
    events: [],
    children_loop_ids: [],
    child_loop_refs: [],
    parallel_group: null,
  };
}
