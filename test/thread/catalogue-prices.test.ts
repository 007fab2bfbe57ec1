// The definitions that a thread's object uses have the limits and prices of the registry's catalogue, and its requests know their files.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { costOf } from "#core/model/cost.ts";
import type { ModelCatalogue } from "#spec/index.ts";
import type { Deployment } from "#thread/deployment.ts";
import { compose } from "#worker/compose.ts";

import { request } from "../models/ask-model.ts";
import { registry } from "../worker/definitions.ts";

const source = { url: "https://prices.example/", date: "2026-07-02" };
const catalogue: ModelCatalogue = {
  openai: {
    "gpt-5": {
      limits: { contextWindow: 1000, inputLimit: null, outputLimit: null, source },
      prices: { inputPrice: 2, outputPrice: 3, source },
    },
  },
};

/** The dependencies of an object whose Worker has these variables. */
async function dependenciesWith(variables: Record<string, string>): Promise<Deployment> {
  const received: Deployment[] = [];
  const fast = { name: "fast", provider: "openai", model: "gpt-5", outputPrice: 0 } as const;
  const files = { models: { fast: "agents/models/fast.ts" }, prompts: {}, agents: {}, tools: {} };
  const own = { ...registry, models: { fast: () => Promise.resolve(fast) }, catalogue, files };
  const { ThreadObject } = compose(own, {}, (dependencies) => {
    received.push(dependencies);
    return dependencies;
  });
  const stub = env.THREADS.get(env.THREADS.newUniqueId());
  await runInDurableObject(stub, (_, state) => void new ThreadObject(state, { ...env, ...variables }));
  const [dependencies] = received;
  if (dependencies === undefined) throw new Error("The object asked for no dependencies.");
  return dependencies;
}

it("CATALOGUE2 A thread counts the cost of a model by the catalogue's prices that its definition leaves out, and not at another address", async () => {
  const usage = { input: 1_000_000, output: 5, cache_read: 0, cache_write: 0, total_tokens: 1_000_005 };
  const model = await (await dependenciesWith({})).registry.models["fast"]?.();
  expect(model).toMatchObject({ contextWindow: 1000, inputPrice: 2, outputPrice: 0 });
  expect(costOf(model ?? {}, usage, null)).toBe(2);
  const elsewhere = await (
    await dependenciesWith({ OPENAI_BASE_URL: "https://llm.example.com/v1" })
  ).registry.models["fast"]?.();
  expect(elsewhere).not.toHaveProperty("contextWindow");
  expect(costOf(elsewhere ?? {}, usage, null)).toBeNull();
});

it("READY2 The request of a thread to a model that lacks its key fails with an error that names the model's file", async () => {
  const { models, registry: own } = await dependenciesWith({ OPENAI_API_KEY: "" });
  const fast = await own.models["fast"]?.();
  if (fast === undefined) throw new Error("The registry has no model.");
  for (const [name, file] of [
    ["fast", ' (model "gpt-5" of agents/models/fast.ts)'],
    ["constructor", ""],
  ] as const) {
    const messages: string[] = [];
    for await (const part of models.stream(request({ ...fast, name }), new AbortController().signal))
      if (part.type === "error") messages.push(part.failure.message);
    expect(messages).toEqual([expect.stringContaining("needs OPENAI_API_KEY, which is not set")]);
    expect(messages[0]?.replace(/^[^(]*/, "")).toBe(file.trim());
  }
});
