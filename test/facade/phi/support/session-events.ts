// The events of loops for tests of recorders: short streams with fixed times.

import { BasicAgent, ModelConfig } from "#facade/phi/index.ts";
import type { AgentEvent, AgentEventOf, AgentMessage, AgentRun, Usage } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { SessionError, SessionRecorder } from "#facade/phi/session/index.ts";
import type { Session, SessionRecorderConfig } from "#facade/phi/session/index.ts";

/** A time of the tests: seconds after a fixed time. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
}

export const tokens = (input: number): Usage => ({
  input,
  output: 1,
  cache_read: 0,
  cache_write: 0,
  total_tokens: input + 1,
});

/** An answer with a text. */
function answer(text: string): AgentMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    stop_reason: "stop",
    model: "claude-sonnet-4-5",
    provider: "anthropic",
    usage: tokens(1),
    timestamp: 1,
  };
}

/** The beginning of a loop. `session.main.1` is a loop of `session`, whose agent has the same name. */
export function started(loop_id: string, seconds: number, more: Partial<AgentEventOf<"AgentStart">> = {}): AgentEvent {
  const session_id = loop_id.split(".")[0] ?? "";
  const base = { session_id, loop_id, agent_id: `agent of ${session_id}`, parent_loop_id: null };
  return { type: "AgentStart", ...base, continuation_kind: null, timestamp: at(seconds), metadata: null, ...more };
}

/** The end of a loop, with one answer. */
export function ended(loop_id: string, seconds: number, more: Partial<AgentEventOf<"AgentEnd">> = {}): AgentEvent {
  const base = { loop_id, messages: [answer(loop_id)], usage: tokens(seconds), timestamp: at(seconds) };
  return { type: "AgentEnd", ...base, rejection: null, ...more };
}

/** The end of a call that ran a loop. */
export function called(loop_id: string, tool_call_id: string, child_loop_id: string | null): AgentEvent {
  const result = { content: [], details: null, child_loop_id };
  return {
    type: "ToolExecutionEnd",
    loop_id,
    tool_call_id,
    tool_name: "sub_agent",
    result,
    is_error: false,
    child_loop_id,
  };
}

/** A delta of an answer. */
export function updated(loop_id: string, text: string): AgentEvent {
  return { type: "MessageUpdate", loop_id, message: answer(text), delta: { Text: { delta: text } } };
}

/** Any event between the beginning and the end of a loop. */
export function shown(loop_id: string, text: string): AgentEvent {
  return { type: "MessageEnd", loop_id, message: answer(text) };
}

export const branches = (session_id: string, loop_ids: string[], seconds: number): AgentEvent => ({
  type: "ParallelLoopStart",
  session_id,
  loop_ids,
  timestamp: at(seconds),
});

export const selected = (session_id: string, loop_id: string, index: number, seconds: number): AgentEvent => ({
  type: "ParallelLoopEnd",
  session_id,
  selected_loop_id: loop_id,
  selected_config_index: index,
  evaluation_usage: tokens(7),
  timestamp: at(seconds),
});

/** An agent that answers with these texts. */
export const agentOf = (texts: string[]) =>
  new BasicAgent(ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "sk-secret")).withProviderOverride(
    MockProvider.texts(texts),
  );

/** Records the events of a run. Returns them. */
export async function record(recorder: SessionRecorder, run: AgentRun, agent?: BasicAgent): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) {
    recorder.onEvent(event, agent);
    events.push(event);
  }
  return events;
}

/** A recorder that has received these events. */
export function recorderOf(events: readonly AgentEvent[], config?: Partial<SessionRecorderConfig>): SessionRecorder {
  const recorder = new SessionRecorder(config);
  for (const event of events) recorder.onEvent(event);
  return recorder;
}

/** The loops of a session with their states. */
export const statuses = (session: Session | null) =>
  session?.loops.map(({ loop_id, status }) => `${loop_id} ${status}`);

/** A session with one loop that has ended. */
export function sessionOf(id: string, more: { agent_id?: string; metadata?: unknown } = {}): Session {
  const start = started(`${id}.main.1`, 0, { session_id: id, ...(more as object) });
  const session = recorderOf([start, ended(`${id}.main.1`, 1)]).getSession(id);
  if (session === null) throw new Error("There is no session.");
  return session;
}

/** The kind of the error of a promise. */
export const kindOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  return error instanceof SessionError ? error.kind : String(error);
};
