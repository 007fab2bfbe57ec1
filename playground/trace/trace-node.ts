// The nodes of a trace, which is a tree of things that took time. A run has steps; a step has model attempts, tool
// calls and waits; a call that a prompt or another agent answers has the steps of that one. Times are microseconds
// since epoch.

import type { EventOf, Json, RunError, Usage } from "threadhold/client";

/** The state of a node. `stopped` means that a user ended it, which is no failure. */
type TraceState = "done" | "failed" | "running" | "waiting" | "stopped";

interface Timed {
  /** Unique in the trace, and the same each time the trace is built. */
  key: string;
  name: string;
  /** A few words next to the name: the reason of a failure, or what is waited for. */
  aside: string | null;
  start: number;
  /** Null while it is running. */
  end: number | null;
  state: TraceState;
  children: readonly TraceNode[];
  /** The thread of the node, because a child thread has a log of its own. */
  thread_id: string;
  run_id: string;
  prefix: string;
}

/** The position of a step: its number in its scope, and the tool message that the scope belongs to. */
export interface StepPlace {
  under: string | null;
  step: number;
}

export interface RunNode extends Timed {
  kind: "run";
}

export interface StepNode extends Timed {
  kind: "step";
  place: StepPlace;
  /** The reasoning that its answer consists of; null for any other answer. */
  reasoning: string | null;
  /** The plan after the step, if it was made or has changed there. */
  plan: EventOf<"plan">["steps"] | null;
}

/** One model request. Fields that only the log has are null until its row is written. */
export interface AttemptNode extends Timed {
  kind: "attempt";
  place: StepPlace;
  log_id: string | null;
  model: string;
  provider: string | null;
  model_id: string | null;
  attempt: number;
  message_id: string | null;
  stop_reason: string | null;
  error: RunError | null;
  usage: Usage | null;
  estimated: boolean;
  /** USD; null if it is unknown. */
  cost: number | null;
  latency_ms: number | null;
  first_token_ms: number | null;
}

/** A call of a tool (`tool`), of a prompt (`prompt`), or of an agent in a child thread (`child`). */
export interface ToolNode extends Timed {
  kind: "tool" | "prompt" | "child";
  place: StepPlace;
  log_id: string | null;
  call_id: string;
  message_id: string | null;
  args: Json;
  /** The output that the tool sent while it ran. */
  output: string;
  progress: Json;
  result: EventOf<"tool_execution_end">["result"] | null;
  duration_ms: number | null;
  stack: string | null;
  child_thread_id: string | null;
  /** A client or a person answers the call, so its time is a wait. */
  remote: boolean;
}

/** A time in which the run waited: for a person, a client, a higher limit, or the next attempt at a model. */
export interface WaitNode extends Timed {
  kind: "wait";
  waits_for: "approval" | "remote" | "limit" | "question" | "back-off";
  call_id: string | null;
}

/** A single moment: a failed hook, a recovery or an error in the log; or a note that a child thread is being loaded. */
export interface NoteNode extends Timed {
  kind: "note";
  data: Json;
}

/** The nodes of all kinds. */
export type TraceNode = RunNode | StepNode | AttemptNode | ToolNode | WaitNode | NoteNode;

/** A node and all nodes below it, from the top. */
export function* nodesOf(node: TraceNode): Generator<TraceNode> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}
