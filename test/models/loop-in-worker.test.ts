// The loop of `threadhold/loop` in the Workers runtime: an agent with a tool, over a provider of this package and the model server.

import { expect, inject, it } from "vitest";

import { BasicAgent, createTool, ModelConfig } from "#facade/phi/index.ts";
import type { AgentEvent } from "#facade/phi/index.ts";

it("An agent of threadhold/loop requests its answers and runs its tool in a Worker", async () => {
  const cities: unknown[] = [];
  const weather = createTool({
    name: "get_weather",
    description: "The weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute({ city }, { on_progress }) {
      cities.push(city);
      on_progress("looking");
      return "sunny";
    },
  });
  const base_url = `${inject("modelServer")}/v1`;
  const model = ModelConfig.anthropic("case:tool-call|text", "Claude", {
    api_key: "key",
    base_url,
    headers: { "x-server-id": crypto.randomUUID() },
  });
  const agent = new BasicAgent(model).withTools([weather]);
  const run = agent.prompt("What is the weather in Zürich?");
  const events: AgentEvent["type"][] = [];
  for await (const { type } of run) events.push(type);
  expect(
    agent.messages.map(({ role }) => role),
    JSON.stringify(agent.messages),
  ).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(cities).toHaveLength(1);
  expect(events).toContain("ProgressMessage");
  expect(events.at(-1)).toBe("AgentEnd");
  expect(agent.messages.at(-1)).toMatchObject({ stop_reason: "stop", provider: "anthropic" });
});
