// Agents of UAP over the scripted provider and the real loop: `generate`, `ask`, `query`, their states, and the options of an agent.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { loop } from "#facade/uap/strategy/built-in-strategy.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";

import { add, call, outline, rejection } from "../support/scripted-llm.ts";
import { recordedScript, scripted, scriptedAgent } from "./support/scripted-agent.ts";

const uuid4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

it("An execution returns its turn, and a state with the history and the messages of the turn", async () => {
  const { script, requests } = recordedScript([
    { text: "Adding.", toolCalls: [call("add", { a: 1, b: 2 })] },
    { text: "Three." },
    { text: "Six." },
  ]);
  const adder = scriptedAgent(script, { tools: [add] });
  const empty = AgentState.initial();
  const first = await adder.generate("Add 1 and 2.", empty);
  expect(outline(first.turn.messages)).toEqual([
    "user: Add 1 and 2.",
    'assistant: Adding. [add {"a":1,"b":2}]',
    "results: 3",
    "assistant: Three.",
  ]);
  expect(first.turn.response.text).toBe("Three.");
  expect(first.state.messages).toEqual(first.turn.messages);
  expect(first.state.step).toBe(2);
  expect(first.state.id).toMatch(uuid4);
  expect(empty.messages).toEqual([]);
  const second = await adder.ask(new UserMessage("Twice that?"), first.state);
  expect(outline(second.turn.messages)).toEqual(["user: Twice that?", "assistant: Six."]);
  expect(second.state.messages).toEqual([...first.state.messages, ...second.turn.messages]);
  expect(second.state.step).toBe(1);
  expect(requests[2]?.length).toBe(5);
  expect(first.state.messages.length).toBe(4);
});

it("A query begins with an empty state and returns the turn", async () => {
  const { script, requests } = recordedScript([{ text: "Four." }, { text: "Nothing." }]);
  const requested = scriptedAgent(script);
  expect((await requested.query("What is 2 + 2?")).response.text).toBe("Four.");
  expect((await requested.query("What did I ask?")).response.text).toBe("Nothing.");
  expect(requests[1]).toEqual(["user: What did I ask?"]);
});

it("Each agent has a different UUIDv4, and the properties of an agent can be the options of a new agent", async () => {
  const coder = scriptedAgent([{ text: "Yes." }], { tools: [add], system: "Be brief." });
  const other = agent({ ...coder, execution: loop({ maxIterations: 2 }) });
  expect([coder.id, other.id]).toEqual([expect.stringMatching(uuid4), expect.stringMatching(uuid4)]);
  expect(other.id).not.toBe(coder.id);
  expect([other.model, other.tools, other.system]).toEqual([coder.model, coder.tools, "Be brief."]);
  expect((await other.query("Ready?")).response.text).toBe("Yes.");
});

it("An agent without a model can be created, and the error of its execution names the missing model", async () => {
  const helper = agent({ tools: [add] });
  expect(helper.model).toBeUndefined();
  expect(await rejection(helper.query("Help."))).toMatchObject({
    code: "INVALID_REQUEST",
    message:
      "The agent has no model. Set its option `model`, or in a tool pass the context of the call: agent.generate(input, state, { parentContext: context }).",
  });
  const complete = agent({ ...helper, model: scripted("scripted", { script: [{ text: "Helped." }] }) });
  expect((await complete.query("Help.")).response.text).toBe("Helped.");
});
