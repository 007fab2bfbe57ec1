// The models of the demo agents and of the templates are models that the package knows, with the context window that it knows.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { createModelFacts } from "#models/model-facts.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { packageRoot } from "../compiler/temporary-project.ts";

const providers = ["anthropic", "google", "openai", "openrouter"] as const;

const files = providers.flatMap((provider) => [
  [provider, `agents/models/${provider}.ts`] as const,
  [provider, `packages/create-threadhold/templates/providers/${provider}/agents/models/default.ts`] as const,
]);

it.each(files)("The sample model of the provider %s in %s is known, and has its context window", (provider, file) => {
  const text = readFileSync(join(packageRoot, file), "utf8");
  const model = /model: "([^"]+)"/.exec(text)?.[1] ?? "";
  const contextWindow = Number(/contextWindow: ([\d_]+)/.exec(text)?.[1]?.replaceAll("_", ""));
  const facts = createModelFacts({})({ name: "sample", provider, model } as AnyModelDefinition);
  expect([model, facts.contextWindow]).toEqual([model, contextWindow]);
  // A generation that the providers retire is no sample.
  expect(model).not.toMatch(/gpt-[34]|claude-(?:3|[a-z]+-4)|gemini-[12]/);
});
