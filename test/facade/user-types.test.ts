// Types of a program with strict settings: these lines compile, and run.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { Turn } from "#facade/upp/turn.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";

import { add, call, instance } from "./support/scripted-llm.ts";
import { scriptedAgent } from "./uap/support/scripted-agent.ts";

it("Hooks may return any value, as functions of the document's type void do, and options may be undefined", async () => {
  const received: unknown[] = [];
  const system = ["Be exact."].at(1);
  const script = [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "3" }];
  const turn = await instance(script, {
    tools: [add],
    system,
    params: undefined,
    signal: undefined,
    toolStrategy: {
      onToolCall: ({ name }) => received.push(name),
      onAfterCall: (_tool, _params, result) => received.push(result),
    },
  }).generate("Add.");
  const self = scriptedAgent(script, {
    tools: [add],
    system,
    params: undefined,
    strategy: {
      onStepStart: (step) => received.push(step),
      onAct: () => received.push("act"),
      onComplete: () => received.push("end"),
    },
  });
  const { state } = await self.generate("Add.", AgentState.initial());
  expect(turn.toolExecutions).toMatchObject([{ result: 3 }]);
  expect(received).toEqual(["add", 3, 1, "act", 2, "end"]);
  expect(state.messages).toHaveLength(4);
});

it("The type of structured data, a schema without as const, and undefined fields of messages and settings compile", async () => {
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const [id, key] = [["message-1"].at(1), ["key"].at(1)];
  const model = createProvider({ protocol: "test", apiKey: key, baseUrl: undefined })("m", {
    script: [{ text: '{"city":"Lisbon"}' }],
  });
  const weather = llm<{ city: string }>({ model, structure: parameters, config: { apiKey: key, headers: undefined } });
  const turn: Turn<{ city: string }> = await weather.generate(new UserMessage("Where?", { id, metadata: undefined }));
  expect(turn.data?.city).toBe("Lisbon");
  expect(turn.messages[0]?.id).not.toBe("");
});
