// The same tools with a session on a server. JSON omits their functions, so all of them are remote tools for the server. The session is
// suspended when the model calls a tool. This program then runs the call and posts its result.

import type { AgentEvent, SessionToolCall, ToolResultInput } from "threadhold/session";

import { print } from "./print.ts";
import { tools } from "./tools.ts";

const address = process.argv[2] ?? "http://localhost:8787";

/** The lines of a response: the events of the session, then the outcome of the request. */
type Line = AgentEvent | { type: "execute_complete"; status: string; pendingToolCalls?: SessionToolCall[] };

async function post(body: unknown): Promise<{ sessionId: string; pending: SessionToolCall[] }> {
  const response = await fetch(`${address}/api/agent/execute`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  let pending: SessionToolCall[] = [];
  for await (const line of linesOf(response.body)) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice("data: ".length)) as Line;
    if (event.type === "execute_complete") {
      pending = event.pendingToolCalls ?? [];
      console.log(`(${event.status})`);
    } else print(event);
  }
  return { sessionId: response.headers.get("x-session-id") ?? "", pending };
}

/** Splits a body into lines. A piece of the body may end anywhere, even inside a character. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

async function answer({ id, name, arguments: params }: SessionToolCall): Promise<ToolResultInput> {
  const about = { role: "toolResult" as const, toolCallId: id, toolName: name };
  const tool = tools.find((one) => one.name === name);
  // A tool without a function needs an answer of the person, who is in Lisbon in this example.
  if (tool?.execute === undefined) return { ...about, content: "Lisbon" };
  const execution = await tool.execute(id, params as never, AbortSignal.timeout(60_000));
  if ("output" in execution) return { ...about, content: execution.output };
  for await (const event of execution) {
    if (event.type === "complete") return { ...about, content: event.output };
  }
  return { ...about, content: "The tool said nothing.", isError: true };
}

const input = { role: "user", content: "What is 17 + 25, and how is the weather here?" };
const begun = await post({ input, context: { messages: [], tools }, options: { model: "demo_session" } });
let { pending } = begun;
while (pending.length > 0) {
  const results = await Promise.all(pending.map(answer));
  ({ pending } = await post({ sessionId: begun.sessionId, input: results }));
}
