// The state of an agent as plain data, and its checks.

import { isObject } from "#lib/json-value.ts";

import { LoopError } from "./loop-error.ts";
import type { AgentMessage } from "./loop-messages.ts";
import { readMessages } from "./saved-messages.ts";

/** The state of an agent as plain data: everything except tools, functions and keys. */
export interface AgentSnapshot {
  agent_id: string;
  session_id: string;
  loop_counters: Record<string, number>;
  last_loop_id: string | null;
  /** RFC 3339; null before the first prompt. */
  last_active_at: string | null;
  messages: AgentMessage[];
  steering_queue: AgentMessage[];
  follow_up_queue: AgentMessage[];
}

/** A checked checkpoint. */
interface ReadSnapshot extends Pick<
  AgentSnapshot,
  "agent_id" | "session_id" | "last_loop_id" | "loop_counters" | "messages"
> {
  active: Date | null;
  steering: AgentMessage[];
  followUps: AgentMessage[];
}

/** Checks a checkpoint. Throws a LoopError that names what is wrong. */
export function readSnapshot(snapshot: AgentSnapshot): ReadSnapshot {
  if (!isObject(snapshot)) throw new LoopError("A checkpoint has to be an object, as checkpoint() makes it.");
  const { agent_id, session_id, last_loop_id, last_active_at, loop_counters } = snapshot;
  for (const [name, value] of Object.entries({ agent_id, session_id })) {
    if (typeof value !== "string" || value === "") throw new LoopError(`The checkpoint has no \`${name}\`.`);
  }
  if (last_loop_id !== null && typeof last_loop_id !== "string")
    throw new LoopError("The checkpoint's `last_loop_id` has to be a text or null.");
  const active = last_active_at === null ? null : new Date(last_active_at);
  if (active !== null && Number.isNaN(active.getTime()))
    throw new LoopError("The checkpoint's `last_active_at` has to be an RFC 3339 time or null.");
  if (!isObject(loop_counters)) throw new LoopError("The checkpoint has no `loop_counters`.");
  for (const [segment, count] of Object.entries(loop_counters)) {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new LoopError(`The checkpoint's counter of "${segment}" has to be a whole number.`);
  }
  const list = (name: "messages" | "steering_queue" | "follow_up_queue"): AgentMessage[] => {
    if (!Array.isArray(snapshot[name]))
      throw new LoopError(`The checkpoint's \`${name}\` has to be a list of messages.`);
    return readMessages(structuredClone(snapshot[name]));
  };
  return {
    agent_id,
    session_id,
    last_loop_id,
    active,
    loop_counters: { ...loop_counters },
    messages: list("messages"),
    steering: list("steering_queue"),
    followUps: list("follow_up_queue"),
  };
}
