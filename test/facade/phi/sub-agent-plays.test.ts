// The plays of the public implementation of phi-core about sub-agents (plays/README.md).

import { expect, it } from "vitest";

import { CancellationToken, createTool, ModelConfig, ToolError } from "#facade/phi/index.ts";
import type { AgentTool, ToolResult } from "#facade/phi/index.ts";
import { SubAgentTool } from "#facade/phi/loop-agents.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";

import { answerOf, entriesOf, messagesOf } from "./support/play-file.ts";
import { play, textsOf } from "./support/play.ts";

/* oxlint-disable typescript/no-explicit-any -- the notation of plays has no types; a wrong member makes the play fail */
type Any = any;

/** A sub-agent of an entry. `called` receives the arguments of its tools. */
function subAgent({ name, description, builders = {}, tools = [], answers }: Any, called: object[] = []) {
  const provider = new MockProvider(answers.map(answerOf));
  const agent = new SubAgentTool(name, ModelConfig.anthropic("mock", "mock", "key")).withProviderOverride(provider);
  for (const [builder, value] of Object.entries(builders)) (agent as Any)[builder](value);
  if (description !== undefined) agent.withDescription(description);
  const execute = (params: Any): string => {
    called.push(params);
    return `echoed: ${params.text}`;
  };
  agent.withTools(
    tools.map((tool: string): AgentTool =>
      createTool({ name: tool, description: tool, parameters: { type: "object" }, execute }),
    ),
  );
  return { agent, provider };
}

const kinds: Record<string, (given: Any, expected: Any) => Promise<void>> = {
  /** A call of the tool without a loop around it. */
  async sub_agent({ params, cancelled = false, ...given }, expected) {
    const called: object[] = [];
    const { agent, provider } = subAgent(given, called);
    const cancel = new CancellationToken();
    if (cancelled === true) cancel.cancel();
    const updates: string[] = [];
    const call = agent.execute(params, {
      tool_call_id: "tc-1",
      tool_name: given.name,
      loop_id: "parent.mock.1",
      cancel,
      on_update: ({ content: [block] }: ToolResult) => void updates.push(block?.type === "text" ? block.text : ""),
      on_progress: () => undefined,
    } as never);
    const { throws, text, notText, details, requests, sent, systemPrompt, toolArguments } = expected;
    if (throws !== undefined) {
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ToolError);
      expect((error as ToolError).kind).toBe(throws.kind);
      expect((error as ToolError).message).toContain(throws.contains);
    } else {
      const [block] = (await call).content;
      const actual = block?.type === "text" ? block.text : "";
      if (text !== undefined) expect(actual).toBe(text);
      if (notText !== undefined) expect(actual).not.toContain(notText);
      if (details !== undefined) expect((await call).details).toMatchObject(details);
    }
    if (requests !== undefined) expect(provider.requests).toHaveLength(requests);
    if (sent !== undefined)
      expect(provider.requests.map(({ messages }) => textsOf(messages))).toEqual(
        sent.map((texts: string[]) => texts.map((one) => `user: ${one}`)),
      );
    if (systemPrompt !== undefined) expect(provider.requests[0]?.system_prompt).toBe(systemPrompt);
    if (toolArguments !== undefined) expect(called).toEqual(toolArguments);
    if (expected.updates !== undefined) expect(updates.join("")).toBe(expected.updates);
  },
  /** A loop whose tools are sub-agents. */
  async parent({ prompts, system_prompt, subAgents, answers }, { messages, calls }) {
    const tools = subAgents.map((one: Any) => subAgent(one).agent);
    const context = { system_prompt };
    const played = await play({ prompts: messagesOf(prompts), answers: answers.map(answerOf), tools, context });
    expect(textsOf(played.returned)).toEqual(messages);
    const shown = played.events.flatMap((event) => {
      if (event.type === "ToolExecutionStart") return [`start ${event.tool_name}`];
      return event.type === "ToolExecutionEnd" ? [`end ${event.tool_name}`] : [];
    });
    expect(shown).toEqual(calls);
  },
};

it.each(entriesOf("sub-agent").map((entry) => [entry.id, entry] as const))(
  "The play %s has the result and requests that its entry expects",
  async (_id, { kind, given, expect: expected }) => {
    const run = kinds[kind];
    if (run === undefined) throw new Error(`The play has the unknown kind ${kind}.`);
    await run(given, expected);
  },
);
