// Types of a program with strict settings: these lines compile, and run.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";

import { add, call, instance } from "./support/scripted-llm.ts";
import { scriptedAgent } from "./uap/support/scripted-agent.ts";

it("Hooks may return any value, as functions of the document's type void do, and options may be undefined", async () => {
  const seen: unknown[] = [];
  const system = ["Be exact."].at(1);
  const script = [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "3" }];
  const turn = await instance(script, {
    tools: [add],
    system,
    params: undefined,
    signal: undefined,
    toolStrategy: {
      onToolCall: ({ name }) => seen.push(name),
      onAfterCall: (_tool, _params, result) => seen.push(result),
    },
  }).generate("Add.");
  const self = scriptedAgent(script, {
    tools: [add],
    system,
    params: undefined,
    strategy: {
      onStepStart: (step) => seen.push(step),
      onAct: () => seen.push("act"),
      onComplete: () => seen.push("end"),
    },
  });
  const { state } = await self.generate("Add.", AgentState.initial());
  expect(turn.toolExecutions).toMatchObject([{ result: 3 }]);
  expect(seen).toEqual(["add", 3, 1, "act", 2, "end"]);
  expect(state.messages).toHaveLength(4);
});
