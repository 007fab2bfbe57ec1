// The surfaces that run in any JavaScript runtime: `llm()`, `agent()`, `BasicAgent` and a session. Each runs a scenario by its own functions.

import { BasicAgent, createTool, ModelConfig, ToolError } from "#facade/phi/index.ts";
import type { AgentMessage } from "#facade/phi/index.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { agent } from "#facade/uap/index.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import { loop } from "#facade/uap/strategy/built-in-strategy.ts";
import { llm } from "#facade/upp/index.ts";
import anthropic from "#facade/upp/provider/anthropic-models.ts";
import type { Turn } from "#facade/upp/turn.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";
import { createSession, createSimpleTool, execute } from "#session/index.ts";
import type { SessionMessage } from "#session/index.ts";
import { defineModel } from "#spec/index.ts";

import { answerLine, resultLine, userLine } from "./normal-form.ts";
import type { Block, Held, Outcome, ServedModel } from "./normal-form.ts";
import { abortAfter, promptsOf, ReportedError, schemaOf, system, toolsOf } from "./scenario.ts";
import type { Scenario } from "./scenario.ts";

/** The surfaces by name. The first three also run in the tool of a thread, with `served.in`. */
export const librarySurfaces = { upp: runUpp, agents: runAgents, loop: runLoop, session: runSession };

const thinking = ({ isThinking = false }: Scenario) => (isThinking ? ({ thinkingLevel: "low" } as const) : {});

function uppOptions(scenario: Scenario, { model, in: state, ...config }: ServedModel, onCall: () => void) {
  return {
    model: anthropic(model, thinking(scenario)),
    config: { ...config, apiKey: "key" },
    ...(state === undefined ? {} : { in: state }),
    system,
    tools: toolsOf(scenario).map((tool) => ({ ...tool, parameters: schemaOf(tool), run: () => tool.run(onCall) })),
  };
}

async function runUpp(scenario: Scenario, served: ServedModel): Promise<Held> {
  const { limit } = scenario;
  const toolStrategy = limit === undefined ? {} : { maxIterations: limit };
  let abort = (): void => {};
  const instance = llm({ ...uppOptions(scenario, served, () => abort()), toolStrategy });
  const messages: AnyMessage[] = [];
  const turns: Turn[] = [];
  for (const prompt of promptsOf(scenario)) {
    const stream = instance.stream([...messages], prompt);
    abort = () => stream.abort();
    const onText = abortAfter(scenario, abort);
    try {
      for await (const { type, delta } of stream) if (type === "text_delta") onText(delta.text ?? "");
      const turn = await stream.turn;
      turns.push(turn);
      messages.push(...turn.messages);
    } catch (error) {
      return { messages: uppLines(messages), end: endOfError(error), usage: null };
    }
  }
  return { messages: uppLines(messages), end: "completed", usage: sumOf(turns) };
}

async function runAgents(scenario: Scenario, served: ServedModel): Promise<Held> {
  const { limit } = scenario;
  const execution = loop(limit === undefined ? {} : { maxIterations: limit });
  let abort = (): void => {};
  const assistant = agent({ ...uppOptions(scenario, served, () => abort()), execution });
  const turns: Turn[] = [];
  let state = AgentState.initial();
  for (const prompt of promptsOf(scenario)) {
    const stream = assistant.stream(prompt, state);
    abort = () => stream.abort();
    const onText = abortAfter(scenario, abort);
    try {
      for await (const event of stream)
        if (event.source === "upp" && event.upp.type === "text_delta") onText(event.upp.delta.text ?? "");
      const result = await stream.result;
      turns.push(result.turn);
      ({ state } = result);
    } catch (error) {
      return { messages: uppLines(partialState(error)?.messages ?? []), end: endOfError(error), usage: null };
    }
  }
  return { messages: uppLines(state.messages), end: "completed", usage: sumOf(turns) };
}

/** The end that an error of `llm()` or `agent()` is. */
function endOfError(error: unknown): string {
  const { code } = error as { code?: string };
  return code === "CANCELLED" ? "aborted" : "error";
}

function sumOf(turns: readonly Turn[]): Outcome["usage"] {
  return sumUsage(
    turns.map(({ usage }) => ({ input: usage.inputTokens, output: usage.outputTokens, total: usage.totalTokens })),
  );
}

type Usage = NonNullable<Outcome["usage"]>;

function sumUsage(list: readonly Usage[]): Usage {
  const sum = (of: (usage: Usage) => number): number => list.reduce((all, one) => all + of(one), 0);
  return { input: sum(({ input }) => input), output: sum(({ output }) => output), total: sum(({ total }) => total) };
}

function uppLines(messages: readonly AnyMessage[]): string[] {
  const names = new Map(
    messages.flatMap((message) =>
      message.type === "assistant"
        ? (message.toolCalls ?? []).map(({ toolCallId, toolName }) => [toolCallId, toolName] as const)
        : [],
    ),
  );
  return messages.flatMap((message) => {
    switch (message.type) {
      case "user":
        return [userLine(message.text)];
      case "assistant": {
        const content = message.content.flatMap((block): Block[] => {
          if (block.type === "text") return [{ text: block.text }];
          return block.type === "reasoning" ? [{ thinking: block.text }] : [];
        });
        const calls = (message.toolCalls ?? []).map(({ toolName, arguments: args }) => ({ call: toolName, args }));
        return [answerLine([...content, ...calls])];
      }
      case "tool_result":
        return message.results.map(({ toolCallId, result, isError = false }) =>
          resultLine({ name: names.get(toolCallId) ?? "?", text: String(result), failed: isError }),
        );
    }
  });
}

async function runLoop(scenario: Scenario, { model, baseUrl, headers, in: state }: ServedModel): Promise<Held> {
  const { isThinking = false, limit } = scenario;
  const tools = toolsOf(scenario).map((tool) =>
    createTool({
      name: tool.name,
      description: tool.description,
      parameters: schemaOf(tool),
      execute: () =>
        tool
          .run(() => assistant.abort())
          .catch((error: Error) => {
            throw error instanceof ReportedError ? ToolError.failed(error.message) : error;
          }),
    }),
  );
  const config = ModelConfig.anthropic(model, "Claude", { api_key: "key", base_url: baseUrl, headers });
  const assistant: BasicAgent = new BasicAgent(config)
    .withSystemPrompt(system)
    .withTools(tools)
    .withThinking(isThinking ? "Low" : "Off")
    .withExecutionLimits(limit === undefined ? null : { max_turns: limit });
  if (state !== undefined) assistant.withIn(state);
  const onText = abortAfter(scenario, () => assistant.abort());
  const usages: Usage[] = [];
  for (const prompt of promptsOf(scenario)) {
    for await (const event of assistant.prompt(prompt)) {
      if (event.type === "MessageUpdate" && "Text" in event.delta) onText(event.delta.Text.delta);
      if (event.type !== "AgentEnd") continue;
      const { input, output, total_tokens: total } = event.usage;
      usages.push({ input, output, total });
    }
  }
  const { messages } = assistant;
  return { messages: messages.map(loopLine), end: endOfLoop(messages), usage: sumUsage(usages) };
}

/** A loop ends without a status: its last message shows the end. Without a limit, only a loop that was cancelled has no answer at its end. */
function endOfLoop(messages: readonly AgentMessage[]): string {
  const last = messages.at(-1);
  if (last?.role === "user" && loopLine(last).includes("[Agent stopped: ")) return "limit";
  if (last?.role !== "assistant") return "aborted";
  if (last.stop_reason === "error") return "error";
  return last.stop_reason === "aborted" ? "aborted" : "completed";
}

function loopLine(message: AgentMessage): string {
  switch (message.role) {
    case "user":
      return userLine(textOf(message.content));
    case "assistant": {
      const blocks = message.content.flatMap((block): Block[] => {
        if (block.type === "text") return [{ text: block.text }];
        if (block.type === "thinking") return [{ thinking: block.thinking }];
        return block.type === "toolCall" ? [{ call: block.name, args: block.arguments }] : [];
      });
      const { stop_reason } = message;
      return answerLine(blocks, stop_reason === "aborted" || stop_reason === "error" ? stop_reason : "");
    }
    case "toolResult":
      return resultLine({ name: message.tool_name, text: textOf(message.content), failed: message.is_error });
    case "extension":
      return `extension: ${message.kind}`;
  }
}

/** The texts of blocks. */
function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("");
}

async function runSession(scenario: Scenario, { model, baseUrl, headers }: ServedModel): Promise<Held> {
  let stopping = new AbortController();
  const tools = toolsOf(scenario).map((tool) =>
    createSimpleTool({ ...tool, label: tool.name, parameters: schemaOf(tool) }, async () => ({
      output: await tool.run(() => stopping.abort()),
    })),
  );
  const definition = defineModel({
    name: "main",
    provider: "anthropic",
    model,
    ...thinking(scenario),
    baseUrl,
    headers,
  });
  const session = createSession(
    crypto.randomUUID(),
    { systemPrompt: system, tools },
    { model: { ...definition, retry: { maxRetries: 0 } }, apiKey: "key" },
  );
  const { limit: steps } = scenario;
  let end = "";
  for (const content of promptsOf(scenario)) {
    stopping = new AbortController();
    const onText = abortAfter(scenario, () => stopping.abort());
    const options = { signal: stopping.signal, ...(steps === undefined ? {} : { limits: { steps } }) };
    const stream = execute(session, { role: "user", content }, options);
    for await (const event of stream) if (event.type === "text_delta") onText(event.delta);
    const { status } = await stream.result();
    end = session.messages.at(-1)?.role === "aborted" ? "aborted" : status;
  }
  return { messages: session.messages.map(sessionLine), end, usage: sessionUsage(session.messages) };
}

type SessionAnswer = Extract<SessionMessage, { role: "assistant" }>;

function sessionLine(message: SessionMessage): string {
  switch (message.role) {
    case "user":
      return userLine(typeof message.content === "string" ? message.content : "…");
    case "assistant":
      return answerLine(sessionBlocks(message));
    case "toolResult":
      return resultLine({ name: message.toolName, text: message.content, failed: message.isError });
    case "error":
      return answerLine(message.partial === undefined ? [] : sessionBlocks(message.partial), "error");
    case "aborted":
      return answerLine(sessionBlocks(message.partial), "aborted");
  }
}

function sessionBlocks({ content }: SessionAnswer): Block[] {
  return content.map((part) => {
    if (part.type === "toolCall") return { call: part.name, args: part.arguments };
    return part.type === "text" ? { text: part.text } : { thinking: part.thinking };
  });
}

function sessionUsage(messages: readonly SessionMessage[]): Usage {
  return sumUsage(
    messages.flatMap((message) => {
      const answer = message.role === "assistant" ? message : "partial" in message ? message.partial : undefined;
      if (answer?.usage == null) return [];
      const { input, output, totalTokens: total } = answer.usage;
      return [{ input, output, total }];
    }),
  );
}
