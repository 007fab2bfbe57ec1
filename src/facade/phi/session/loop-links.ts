// The references between loops, in both directions: loops that continue loops of their session, and loops that calls of another session ran
// (REQ-212, 221). Each reference is set by whichever of its two events arrives last.

import type { AgentEventOf } from "../loop-event.ts";
import { mayReferTo, positionOf } from "./known-loops.ts";
import type { ChildLoopRef, LoopRecord, SpawnRef } from "./loop-session.ts";
import { findLoop, findSession, withLoop, withSession } from "./recorder-state.ts";
import type { RecorderState } from "./recorder-state.ts";

/** The session in a loop's id, which begins with it. An id without a dot has none. */
function sessionIn(loopId: string): string {
  const end = loopId.indexOf(".");
  return end === -1 ? "" : loopId.slice(0, end);
}

/** Sets the references of a loop that has begun. */
export function linkStart(state: RecorderState, event: AgentEventOf<"AgentStart">): RecorderState {
  const { loop_id, parent_loop_id } = event;
  const record = findLoop(state, loop_id);
  if (record === null) return state;
  const { session_id } = record;
  const parent = parent_loop_id === null ? null : findLoop(state, parent_loop_id);
  let next = state;
  if (parent?.session_id === session_id) next = withChild(next, parent, loop_id);
  next = withChildren(next, record);
  if (parent_loop_id !== null && isSpawn(state, event, parent))
    next = withSpawn(next, session_id, {
      parent_session_id: parent?.session_id ?? sessionIn(parent_loop_id),
      parent_loop_id,
      tool_call_id: "",
      tool_name: "",
    });
  return linkEarlier(next, record);
}

/** Whether a call of another session ran the loop. A continuation has a kind, and an agent's next session no parent. */
function isSpawn(
  state: RecorderState,
  { session_id, parent_loop_id, continuation_kind }: AgentEventOf<"AgentStart">,
  parent: LoopRecord | null,
): boolean {
  if (continuation_kind !== null || parent_loop_id === null) return false;
  if (parent === null) return !parent_loop_id.startsWith(`${session_id}.`);
  return findSession(state, parent.session_id)?.source_id !== session_id;
}

/** Adds a loop to those that continue its parent. They are in the order of the session's loops. */
function withChild(state: RecorderState, parent: LoopRecord, childId: string): RecorderState {
  const loops = loopsOf(state, parent);
  return withLoop(state, parent.loop_id, (record) => {
    const ids = [...record.children_loop_ids, childId];
    return {
      ...record,
      children_loop_ids: ids.toSorted((one, other) => positionOf(loops, one) - positionOf(loops, other)),
    };
  });
}

/** Lists the loops that continue a loop and arrived before it. */
function withChildren(state: RecorderState, record: LoopRecord): RecorderState {
  const loops = loopsOf(state, record);
  if (!mayReferTo(loops, record.loop_id)) return state;
  const children = loops
    .filter(({ parent_loop_id }) => parent_loop_id === record.loop_id)
    .map(({ loop_id }) => loop_id);
  if (children.length === 0) return state;
  return withLoop(state, record.loop_id, (one) => ({ ...one, children_loop_ids: children }));
}

function loopsOf(state: RecorderState, { session_id }: LoopRecord): readonly LoopRecord[] {
  return findSession(state, session_id)?.data.loops ?? [];
}

/** Sets the reference of a session to the call that began it, unless a call is known. */
function withSpawn(state: RecorderState, sessionId: string, spawn: SpawnRef): RecorderState {
  return withSession(state, sessionId, (data) => {
    const present = data.parent_spawn_ref;
    const isKnown = present !== null && (present.tool_call_id !== "" || spawn.tool_call_id === "");
    return isKnown ? data : { ...data, parent_spawn_ref: spawn };
  });
}

/** Completes the references to a loop that arrived before the loop did. */
function linkEarlier(state: RecorderState, { loop_id, session_id }: LoopRecord): RecorderState {
  let next = state;
  for (const { data } of state.sessions) {
    if (data.parent_spawn_ref?.parent_loop_id === loop_id)
      next = withSession(next, data.session_id, (child) =>
        child.parent_spawn_ref === null || child.parent_spawn_ref.parent_session_id === session_id
          ? child
          : { ...child, parent_spawn_ref: { ...child.parent_spawn_ref, parent_session_id: session_id } },
      );
    if (!mayReferTo(data.loops, loop_id)) continue;
    for (const parent of data.loops)
      for (const ref of parent.child_loop_refs)
        if (ref.child_loop_id === loop_id)
          next = linkBoth(next, parent.loop_id, { ...ref, child_session_id: session_id });
  }
  return next;
}

/** Sets the references between the loop of a call and the loop that the call ran. */
export function linkCall(state: RecorderState, event: AgentEventOf<"ToolExecutionEnd">): RecorderState {
  const { loop_id, tool_call_id, tool_name, result } = event;
  const child_loop_id = event.child_loop_id ?? result.child_loop_id ?? null;
  if (child_loop_id === null) return state;
  const child_session_id = findLoop(state, child_loop_id)?.session_id ?? sessionIn(child_loop_id);
  return linkBoth(state, loop_id, { tool_call_id, tool_name, child_loop_id, child_session_id });
}

function linkBoth(state: RecorderState, parentLoopId: string, ref: ChildLoopRef): RecorderState {
  const isSame = (one: ChildLoopRef): boolean =>
    one.tool_call_id === ref.tool_call_id && one.child_loop_id === ref.child_loop_id;
  const next = withLoop(state, parentLoopId, (record) => {
    const at = record.child_loop_refs.findIndex(isSame);
    if (record.child_loop_refs[at]?.child_session_id === ref.child_session_id) return record;
    const child_loop_refs = at === -1 ? [...record.child_loop_refs, ref] : record.child_loop_refs.with(at, ref);
    return { ...record, child_loop_refs };
  });
  const parent = findLoop(next, parentLoopId);
  const child = findLoop(next, ref.child_loop_id);
  if (parent === null || child === null || parent.session_id === child.session_id) return next;
  const { tool_call_id, tool_name } = ref;
  return withSpawn(next, child.session_id, {
    parent_session_id: parent.session_id,
    parent_loop_id: parentLoopId,
    tool_call_id,
    tool_name,
  });
}
