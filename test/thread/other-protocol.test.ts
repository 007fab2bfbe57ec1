// A thread whose model changes its protocol between two runs: the next run sends the whole conversation, as the requests to a server on
// the loopback show.

import { defineTool } from "@standardagents/spec";
import type { AnyModelDefinition } from "@standardagents/spec";
import { expect, it } from "vitest";
import { z } from "zod";

import { serve, type Project } from "../standard-agents/project.ts";
import { wireModel, type WireRequest } from "../standard-agents/wire.ts";
import { evict } from "./thread-driver.ts";

const get_weather = defineTool("Weather of a city", z.object({ city: z.string() }), () =>
  Promise.resolve({ status: "success", result: "sunny" }),
);

/** Serves the same project with another model. */
function serveWith(more: Partial<AnyModelDefinition>): { project: Project; sent: () => Promise<WireRequest[]> } {
  const { definition, sent } = wireModel("openai", more);
  return {
    project: serve({
      tools: { get_weather },
      model: definition,
      prompt: { includeChat: true, includePastTools: true },
    }),
    sent,
  };
}

const responses = {
  api: "responses",
  model: "case:thinking-then-call|text",
  compat: { supportsReasoningEffort: true },
} as const;
const chat = { api: "chat", model: "case:reasoning-content|text" } as const;

it("A thread continues when its model changes from the Responses API to Chat Completions and back", async () => {
  const first = serveWith(responses);
  const thread = await first.project.thread();
  expect((await thread.say("Weather in Rome?")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  const [requested, next] = await first.sent();
  expect(requested).toMatchObject({
    path: "/v1/responses",
    body: { store: false, include: ["reasoning.encrypted_content"] },
  });
  // Within the run the reasoning is sent back, before the call that followed it.
  expect([...(next?.body["input"] ?? [])].map((item) => item["type"] ?? item["role"])).toEqual([
    "developer",
    "user",
    "reasoning",
    "function_call",
    "function_call_output",
  ]);
  expect(JSON.stringify(next?.body)).toContain('"encrypted_content":"gAAAAABsig2"');

  const second = serveWith(chat);
  // A deployment with another model starts the object again.
  await evict(thread.id);
  expect((await thread.say("And now?")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  const [other, step] = await second.sent();
  expect(other?.path).toBe("/v1/chat/completions");
  expect([...(other?.body["messages"] ?? [])].map((entry) => entry["role"])).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
  const call = other?.body["messages"]?.[2]?.["tool_calls"]?.[0]?.["id"];
  expect(other?.body["messages"]?.[3]).toMatchObject({ tool_call_id: call, content: "sunny" });
  expect(JSON.stringify([other?.body, step?.body])).not.toMatch(/gAAAA|Rome it is/);
  expect(JSON.stringify(step?.body)).toContain('"reasoning_content":"I need the weather."');

  const third = serveWith(responses);
  await evict(thread.id);
  expect((await thread.say("Again?")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  const [last] = await third.sent();
  const items = [...(last?.body["input"] ?? [])];
  const named = (type: string) =>
    items.filter((item) => JSON.stringify(item["type"]) === `"${type}"`).map((item) => item["call_id"]);
  expect(named("function_call")).toHaveLength(2);
  expect(named("function_call")).toEqual(named("function_call_output"));
  expect(JSON.stringify(last?.body)).not.toMatch(/gAAAA|I need the weather/);
});
