// The texts that a model's reference, an instance and an agent become, which must not contain the keys of their settings.

import { inspect } from "node:util";

import { expect, it } from "vitest";

import { agent } from "#facade/uap/uap-agent.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";

import { call, instance, tool } from "./support/scripted-llm.ts";

const key = "secret-key-1";
const model = createProvider({ protocol: "openai", apiKey: key, headers: { "x-token": key } })("m");

it("The JSON and the inspect output of a model's reference, also inside an agent, an instance of llm or a list, contain no API key", () => {
  const values = [model, { ...model }, [model], llm({ model }), agent({ model }), { context: { parentModel: model } }];
  for (const value of values) {
    expect(JSON.stringify(value)).not.toContain(key);
    expect(inspect(value, { depth: 10 })).not.toContain(key);
  }
  expect(JSON.parse(JSON.stringify(model))).toEqual({ modelId: "m", provider: "openai" });
});

it("The messages of a turn contain no API key if a tool returns a model's reference", async () => {
  const leak = tool("leak", () => ({ model }));
  const turn = await instance([{ toolCalls: [call("leak")] }, { text: "Done." }], { tools: [leak] }).generate("Go.");
  expect(JSON.stringify(turn.messages)).not.toContain(key);
  expect(turn.messages[2]?.toJSON().results).toMatchObject([{ result: { model: { modelId: "m" } } }]);
});
