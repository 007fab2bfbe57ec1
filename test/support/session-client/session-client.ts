// The client of the session endpoint from the agent API rework plan ("HTTP Transport Layer", client implementation), with
// types added; and functions to check its responses.

import type { AgentEvent, ExecuteComplete } from "#contract/session/agent-event.ts";
import type { SessionToolCall, ToolResultMessage } from "#contract/session/session-message.ts";
import type { SessionView } from "#contract/session/session-view.ts";

/** Sends a request to the API. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** A line of an execution. */
export type ExecutionEvent = AgentEvent | ExecuteComplete;

/** The outcome of an execute request. */
export interface Executed {
  status: number;
  sessionId: string;
  events: AgentEvent[];
  /** The last line; null if there was none, or the response was interrupted. */
  complete: ExecuteComplete | null;
  /** The body of a refusal. */
  refusal: { code: string; message: string; details?: { fields?: { path: string }[]; known?: string[] } } | null;
}

/** Sends an execute request and reads the response to its end. */
export async function execute(send: Send, body: object, init: RequestInit = {}): Promise<Executed> {
  // Without a content type, as the plan's client sends it.
  const response = await send("/api/agent/execute", { ...init, method: "POST", body: JSON.stringify(body) });
  const sessionId = response.headers.get("X-Session-Id") ?? "";
  if (response.status !== 200) {
    const { error } = (await response.json()) as { error: NonNullable<Executed["refusal"]> };
    return { status: response.status, sessionId, events: [], complete: null, refusal: error };
  }
  const events: AgentEvent[] = [];
  let complete: ExecuteComplete | null = null;
  await readEvents(response, (event) => {
    if (event.type === "execute_complete") complete = event;
    else events.push(event);
  });
  return { status: 200, sessionId, events, complete, refusal: null };
}

/** Reads the events of a response as the plan's client does. An incomplete line waits for the next chunk. */
export async function readEvents(response: Response, handleEvent: (event: ExecutionEvent) => void): Promise<void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";

  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;

    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: ")) {
        const event = JSON.parse(line.slice(6)) as ExecutionEvent;
        handleEvent(event);
      }
    }
  }
}

/** The function of a tool that the client runs. */
type ToolFunction = (call: SessionToolCall) => string | Promise<string>;

/** A tool of the client. `JSON.stringify` drops its function, which makes it remote for the server. */
export interface ClientSideTool {
  name: string;
  label: string;
  parameters: object;
  execute: ToolFunction;
}

/** A whole turn: sends the request, runs the calls in the response and sends their results, until no call is pending. */
export async function executeOnServer(
  send: Send,
  request: { input: object; tools: ClientSideTool[]; options?: object; sessionId?: string },
): Promise<{ sessionId: string; rounds: Executed[] }> {
  const { tools, ...rest } = request;
  const rounds = [await execute(send, { ...rest, context: { messages: [], tools } })];
  const sessionId = rounds[0]?.sessionId ?? "";
  for (;;) {
    const pending = rounds.at(-1)?.complete?.pendingToolCalls ?? [];
    if (pending.length === 0) return { sessionId, rounds };
    const toolResults = await executeLocalTools(tools, pending);
    rounds.push(await execute(send, { sessionId, input: toolResults }));
  }
}

function executeLocalTools(tools: readonly ClientSideTool[], calls: SessionToolCall[]): Promise<ToolResultMessage[]> {
  return Promise.all(
    calls.map(async (call): Promise<ToolResultMessage> => {
      const tool = tools.find(({ name }) => name === call.name);
      const content = tool === undefined ? `There is no ${call.name}.` : await tool.execute(call);
      const { id: toolCallId, name: toolName } = call;
      return { role: "toolResult", toolCallId, toolName, content, isError: tool === undefined };
    }),
  );
}

/** The session as the server returns it; null if there is none. */
export async function readSession(send: Send, sessionId: string): Promise<SessionView | null> {
  const response = await send(`/api/agent/session/${sessionId}`);
  const body = await response.json();
  return response.status === 200 ? (body as SessionView) : null;
}

/** The streamed text. */
export function textOf(events: readonly ExecutionEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.delta : "")).join("");
}
