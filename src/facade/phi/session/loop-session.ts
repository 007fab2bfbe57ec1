// The records of sessions, as phi-core's document names them (architecture §4, Session / LoopRecord): plain data, whose JSON restores them. Times
// are RFC 3339 texts. `Session` adds the functions that read its tree of loops.

import type { Json } from "#contract/json.ts";
import { addUsage, zeroUsage } from "#contract/usage.ts";

import type { AgentEvent, ContinuationKind } from "../loop-event.ts";
import type { AgentMessage, Usage } from "../loop-messages.ts";
import type { ApiProtocol } from "../provider/api-protocol.ts";
import type { ThinkingLevel } from "../provider/stream-provider.ts";

/** How a session began. */
export type SessionFormation =
  /** The agent had another session before it. */
  | { Explicit: { timestamp: string } }
  /** The first session of its agent that the recorder knows. */
  | { FirstLoop: { timestamp: string } }
  /** The recorder ended the session before it after a time without activity. */
  | { InactivityTimeout: { threshold_secs: number; previous_session_id: string | null; timestamp: string } };

/**
 * The state of a loop. `Pending`: a branch that was announced and has not begun. `Rejected`: a filter refused the prompt. `Aborted`: the
 * recorder was flushed before the loop ended, or the branch never began.
 */
export type LoopStatus = "Pending" | "Running" | "Completed" | "Rejected" | "Aborted";

/** An event of a loop. */
export interface LoopEvent {
  /** The number of the event in its loop, from 0. A gap stands for events that were not recorded. */
  sequence: number;
  event: AgentEvent;
}

/**
 * The model of a loop, without its key. `model`, `provider` and `config_id` are read from the loop's id and answers. The other fields are known
 * if the recorder was given the loop's options.
 */
export interface LoopConfigSnapshot {
  model: string;
  provider: string;
  /** The middle segment of the loop's id; null for an id without one. */
  config_id: string | null;
  name?: string;
  api?: ApiProtocol;
  /** Without credentials, query and fragment. */
  base_url?: string;
  reasoning?: boolean;
  context_window?: number;
  max_tokens?: number;
  thinking_level?: ThinkingLevel;
  temperature?: number;
}

/** A loop of another session that a call of this loop ran (REQ-212). */
export interface ChildLoopRef {
  tool_call_id: string;
  tool_name: string;
  child_loop_id: string;
  child_session_id: string;
}

/** The call that a session was begun by (REQ-212). */
export interface SpawnRef {
  parent_session_id: string;
  parent_loop_id: string;
  /** Empty until the call has ended. */
  tool_call_id: string;
  /** Empty until the call has ended. */
  tool_name: string;
}

/** The branches that a loop ran with in parallel, and the one that was selected (REQ-213). */
export interface ParallelGroupRecord {
  /** In the order of their configs. */
  all_loop_ids: string[];
  selected_loop_id: string;
  selected_config_index: number;
  evaluation_usage: Usage;
  /** Whether this loop is the selected one. */
  is_selected: boolean;
}

/** One loop (REQ-211). */
export interface LoopRecord {
  loop_id: string;
  session_id: string;
  /** Empty until the loop has begun. */
  agent_id: string;
  parent_loop_id: string | null;
  /** Null for an origin. */
  continuation_kind: ContinuationKind | null;
  /** For a branch that has not begun: when it was announced. */
  started_at: string;
  ended_at: string | null;
  status: LoopStatus;
  /** Why a filter refused the prompt. */
  rejection: string | null;
  config: LoopConfigSnapshot | null;
  /** All new messages of the loop. Empty until it has ended. */
  messages: AgentMessage[];
  usage: Usage;
  metadata: Json;
  events: LoopEvent[];
  /** The loops of the same session that continue this one, in the order of their beginning. */
  children_loop_ids: string[];
  child_loop_refs: ChildLoopRef[];
  parallel_group: ParallelGroupRecord | null;
}

/** A session as plain data. */
export interface SessionData {
  session_id: string;
  /** Empty until a loop has begun. */
  agent_id: string;
  created_at: string;
  last_active_at: string;
  formation: SessionFormation;
  /** Set if a call of another session began this one. */
  parent_spawn_ref: SpawnRef | null;
  /** In the order of their beginning. */
  loops: LoopRecord[];
}

/** A session, and functions that read its tree (REQ-218). */
export class Session implements SessionData {
  session_id: string;
  agent_id: string;
  created_at: string;
  last_active_at: string;
  formation: SessionFormation;
  parent_spawn_ref: SpawnRef | null;
  loops: LoopRecord[];

  constructor(data: SessionData) {
    this.session_id = data.session_id;
    this.agent_id = data.agent_id;
    this.created_at = data.created_at;
    this.last_active_at = data.last_active_at;
    this.formation = data.formation;
    this.parent_spawn_ref = data.parent_spawn_ref;
    this.loops = data.loops;
    for (const [name, value] of Object.entries(data)) {
      // Fields of later versions are kept, except those whose names are functions here or of all objects.
      if (name in this) continue;
      Object.defineProperty(this, name, { value, enumerable: true, writable: true, configurable: true });
    }
  }

  /** The loops without a parent in this session. */
  rootLoops(): LoopRecord[] {
    const ids = new Set(this.loops.map(({ loop_id }) => loop_id));
    return this.loops.filter(({ parent_loop_id }) => parent_loop_id === null || !ids.has(parent_loop_id));
  }

  /** The loops of this session that continue a loop. */
  childrenOf(loopId: string): LoopRecord[] {
    const ids = new Set(this.getLoop(loopId)?.children_loop_ids);
    return this.loops.filter(({ loop_id }) => ids.has(loop_id));
  }

  /** The branches of a loop's parallel group, the loop included, in the order of their configs; none for a loop without a group. */
  parallelSiblings(loopId: string): LoopRecord[] {
    const ids = this.getLoop(loopId)?.parallel_group?.all_loop_ids ?? [];
    return ids.flatMap((id) => this.getLoop(id) ?? []);
  }

  /** The loop with this id; null if there is none. */
  getLoop(loopId: string): LoopRecord | null {
    return this.loops.find(({ loop_id }) => loop_id === loopId) ?? null;
  }

  /** The tokens of all loops. The loops of an evaluation count as loops; `evaluation_usage` is not added. */
  totalUsage(): Usage {
    return this.loops.reduce((sum, { usage }) => addUsage(sum, usage), zeroUsage);
  }
}
