// What a trace is made of: a tree of things that took time. The run holds steps, a step holds attempts at a model, tool calls and
// waits; a call that a prompt or another agent answers holds that one's steps. Times are microseconds since epoch.

import type { EventOf, Json, RunError, Usage } from "threadhold/client";

/** How a thing stands. `stopped` was ended by somebody, which is no failure. */
type TraceState = "done" | "failed" | "running" | "waiting" | "stopped";

interface Timed {
  /** Unique in the trace, and the same each time it is made. */
  key: string;
  name: string;
  /** A few words beside the name: why it failed, what is waited for. */
  aside: string | null;
  start: number;
  /** Null while it goes on. */
  end: number | null;
  state: TraceState;
  children: readonly TraceNode[];
  /** Where it happened: a child thread has a log of its own. */
  thread_id: string;
  run_id: string;
  prefix: string;
}

/** Where a step stands: its number on its line, and the tool message that the line hangs under. */
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
}

/** One request to a model. What only the log knows is null until it is written. */
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
  /** USD; null where it is not known. */
  cost: number | null;
  latency_ms: number | null;
  first_token_ms: number | null;
}

/** A call of a tool, of a prompt (`prompt`), or of an agent in a thread of its own (`child`). */
export interface ToolNode extends Timed {
  kind: "tool" | "prompt" | "child";
  place: StepPlace;
  log_id: string | null;
  call_id: string;
  message_id: string | null;
  args: Json;
  /** What the tool said on the way. */
  output: string;
  progress: Json;
  result: EventOf<"tool_execution_end">["result"] | null;
  duration_ms: number | null;
  stack: string | null;
  child_thread_id: string | null;
  /** Somebody outside answers it, so that its time is a wait. */
  remote: boolean;
}

/** A time in which the run had to wait: for a person, a client, a higher limit, or until a model may be asked again. */
export interface WaitNode extends Timed {
  kind: "wait";
  waits_for: "approval" | "remote" | "limit" | "back-off";
  call_id: string | null;
}

/** A moment that the log tells of: a hook that failed, a recovery, an error; or that a child is being read. */
export interface NoteNode extends Timed {
  kind: "note";
  data: Json;
}

/** Any of them. */
export type TraceNode = RunNode | StepNode | AttemptNode | ToolNode | WaitNode | NoteNode;

/** A node and all below it, from the top. */
export function* nodesOf(node: TraceNode): Generator<TraceNode> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}
