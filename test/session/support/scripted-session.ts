// Sessions with a scripted model, and functions that read their events.

import { createSession, createSimpleTool, defineModel, execute } from "#session/index.ts";
import type {
  AgentEvent,
  AgentSession,
  AgentTool,
  AnyAgentTool,
  ExecuteOptions,
  ExecuteResult,
  SessionMessage,
  SessionOptions,
  ToolResultInput,
  UserInput,
} from "#session/index.ts";
import type { TestScript } from "#spec/index.ts";

/** A model that answers from a script, at 1 USD per million tokens in and 2 out. */
export function scripted(script: TestScript, name = "scripted") {
  return defineModel({ name, provider: "test", model: "scripted", inputPrice: 1, outputPrice: 2, script });
}

/** A session with a scripted model. */
export function session(
  script: TestScript,
  tools: readonly AnyAgentTool[] = [],
  more: Partial<SessionOptions> & { messages?: readonly SessionMessage[]; systemPrompt?: string } = {},
): AgentSession {
  const { messages = [], systemPrompt = "Be brief.", ...options } = more;
  return createSession("session-1", { systemPrompt, messages, tools }, { model: scripted(script), ...options });
}

/** The events of an execution, and how it ended. */
export interface Run {
  events: AgentEvent[];
  result: ExecuteResult;
}

/** Runs the execution to its end. */
export async function run(
  of: AgentSession,
  input: string | UserInput | ToolResultInput[],
  options?: ExecuteOptions,
): Promise<Run> {
  const stream = execute(of, typeof input === "string" ? user(input) : input, options);
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, result: await stream.result() };
}

export function user(content: string): UserInput {
  return { role: "user", content };
}

export function answer(toolCallId: string, content: string): ToolResultInput {
  return { role: "toolResult", toolCallId, content };
}

/** Adds two numbers in process. */
export const add = createSimpleTool<{ a: number; b: number }>(
  {
    name: "add",
    label: "Add",
    description: "Adds two numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
  },
  (_id, { a, b }) => Promise.resolve({ output: `${a + b}`, details: { sum: a + b } }),
);

/** Searches, and reports progress in pieces. */
export const search: AgentTool<{ query: string }> = {
  name: "search",
  label: "Search",
  description: "Searches.",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  async *execute(_id, { query }) {
    yield { type: "delta", delta: "Searching for " };
    await Promise.resolve();
    yield { type: "delta", delta: `${query}.` };
    yield { type: "complete", output: `Nothing about ${query}.`, details: { count: 0 } };
  },
};

/** Tools that a client answers. */
export const locate: AgentTool = remote("locate");
export const confirm: AgentTool = remote("confirm");

function remote(name: string): AgentTool {
  const parameters = { type: "object", properties: { precision: { type: "string" } } };
  return { name, label: name, description: `Asks to ${name}.`, parameters };
}

/** The types of events. Consecutive deltas of one type are one entry. */
export function outline(events: readonly AgentEvent[]): string[] {
  return events.flatMap(({ type }, at) => (type.endsWith("_delta") && events[at - 1]?.type === type ? [] : [type]));
}

/** The roles of messages, each with its text or calls. */
export function transcript(messages: readonly SessionMessage[]): string[] {
  return messages.map((message) => {
    switch (message.role) {
      case "user":
        return `user: ${typeof message.content === "string" ? message.content : "…"}`;
      case "assistant":
        return `assistant: ${words(message)}`;
      case "toolResult":
        return `${message.toolName}${message.isError ? " failed" : ""}: ${message.content}`;
      case "error":
        return `error: ${message.error}${message.partial === undefined ? "" : ` after ${words(message.partial)}`}`;
      case "aborted":
        return `aborted: ${words(message.partial)}`;
    }
  });
}

function words({ content }: Extract<SessionMessage, { role: "assistant" }>): string {
  return content
    .map((part) => {
      if (part.type === "toolCall") return `[${part.name} ${JSON.stringify(part.arguments)}]`;
      return part.type === "text" ? part.text : `(${part.thinking})`;
    })
    .join(" ");
}

/** A promise, and the functions that settle it. */
export function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
