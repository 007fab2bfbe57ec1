// A local server with the protocol of Anthropic's API, so that the examples need no key. It chooses each answer by the last task of the
// conversation: first a call of the tool that the task suggests, then, after the results, a text.

import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Block {
  type: string;
  text?: string;
}

interface MessagesRequest {
  messages: { role: "user" | "assistant"; content: string | Block[] }[];
  tools?: { name: string; input_schema: { properties?: Record<string, { type?: string }>; required?: string[] } }[];
  tool_choice?: { type: string; name?: string };
  output_config?: { format?: { type: string } };
}

interface Answer {
  text?: string;
  calls?: { name: string; input: object }[];
}

type OfferedTool = NonNullable<MessagesRequest["tools"]>[number];

/** Prompts that the strategies `react` and `plan` add. They are not tasks. */
const strategyPrompt = /^(?:Think about what|Based on your reasoning|Make a plan)/;

/** The tool that a task suggests: the first line whose pattern matches the task. */
const suggestions: readonly (readonly [task: RegExp, tool: RegExp])[] = [
  [/Use the tool (?<name>\w+)/, /^$/],
  [/explore|find and fix/i, /^explore/],
  [/help/i, /^helper$/],
  [/\* 7/, /^calculator$/],
  [/read|mend|implement/i, /^Read$/],
  [/run|bug/i, /^Bash$/],
  [/tests|hello world|error handling/i, /^Write$/],
  [/TypeScript errors/, /^Grep$/],
];

const planned = {
  steps: [
    { id: "read", description: "Read the file", tool: "Read", dependsOn: [] },
    { id: "write", description: "Write the file", tool: "Write", dependsOn: ["read"] },
  ],
};

function answerTo({ messages, tools = [], tool_choice: choice, output_config: output }: MessagesRequest): Answer {
  // A plan is asked for as a call of one tool, or from newer models as JSON.
  if (choice?.type === "tool") return { calls: [{ name: choice.name ?? "", input: planned }] };
  if (output?.format?.type === "json_schema") return { text: JSON.stringify(planned) };
  const blocks = messages.flatMap(({ role, content }) => {
    const list = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return list.map((block): Block & { role: string } => ({ ...block, role }));
  });
  const isTask = ({ role, type, text = "" }: (typeof blocks)[number]): boolean =>
    role === "user" && type === "text" && !strategyPrompt.test(text);
  const last = blocks.findLast(({ role, type }) => role === "user" && type === "text")?.text ?? "";
  if (last.startsWith("Think about what")) return { text: "I look at what is known, and decide." };
  const at = blocks.findLastIndex(isTask);
  const task = blocks[at]?.text ?? "";
  const hasResults = blocks.slice(at).some(({ type }) => type === "tool_result");
  const called = hasResults || choice?.type === "none" ? [] : calledTools(task, tools);
  if (called.length > 0) return { text: "I call a tool.", calls: called };
  return { text: answerText(task, blocks.map(({ text = "" }) => text).join("\n")) };
}

function calledTools(task: string, tools: readonly OfferedTool[]): NonNullable<Answer["calls"]> {
  if (task.startsWith("Use all tools")) {
    const isReversed = task.endsWith("in reverse order");
    return tools.map((tool, index) => {
      const after = isReversed && index + 1 < tools.length ? { _after: [String(index + 2)] } : {};
      return { name: tool.name, input: { ...argumentsOf(tool), ...after } };
    });
  }
  for (const [pattern, suggested] of suggestions) {
    const found = pattern.exec(task);
    const tool = found && tools.find(({ name }) => name === found.groups?.["name"] || suggested.test(name));
    if (tool) return [{ name: tool.name, input: argumentsOf(tool) }];
  }
  return [];
}

/** Creates arguments: a text for each required parameter. */
function argumentsOf({ input_schema: { required = [] } }: OfferedTool): object {
  return Object.fromEntries(required.map((name) => [name, "TypeScript errors"]));
}

function answerText(task: string, conversation: string): string {
  if (task === "What is my name?") return `Your name is ${/My name is (\w+)/.exec(conversation)?.[1] ?? "unknown"}.`;
  if (task === "What is 2 + 2?") return "4";
  if (task.startsWith("Summarize")) return "A summary.";
  return `Done: ${task.split("\n")[0] ?? ""}`;
}

let answers = 0;

/** Creates the events of an answer. */
function* eventsOf({ text, calls = [] }: Answer, model: string): Generator<{ type: string } & Record<string, unknown>> {
  const usage = { input_tokens: 20, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const id = `msg_${(answers += 1)}`;
  const message = { id, type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
  yield { type: "message_start", message };
  let index = 0;
  if (text !== undefined) {
    yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
    for (const piece of text.split(/(?<= )/)) {
      yield { type: "content_block_delta", index, delta: { type: "text_delta", text: piece } };
    }
    yield { type: "content_block_stop", index };
    index += 1;
  }
  for (const [number, { name, input }] of calls.entries()) {
    const block = { type: "tool_use", id: `toolu_${answers}_${number}`, name, input: {} };
    yield { type: "content_block_start", index, content_block: block };
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
    yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
    index += 1;
  }
  const reason = calls.length > 0 ? "tool_use" : "end_turn";
  yield { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } };
  yield { type: "message_stop" };
}

/** Reads a request before it is answered. */
type OnRequest = (body: unknown) => void;

async function answer(request: IncomingMessage, response: ServerResponse, onRequest: OnRequest): Promise<void> {
  if (request.method !== "POST" || request.url !== "/v1/messages") {
    response.writeHead(404).end();
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const asked = JSON.parse(Buffer.concat(pieces).toString("utf8")) as MessagesRequest & { model: string };
  onRequest(asked);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of eventsOf(answerTo(asked), asked.model)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

/** Starts the server on a free port. */
export async function startLocalServer(
  onRequest: OnRequest = () => undefined,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response, onRequest));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
