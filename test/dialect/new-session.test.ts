// The agent, prompt and model of a new session, in projects of every kind.

import { expect, it } from "vitest";

import type { ThreadholdError } from "#contract/error.ts";
import type { SetupOptions } from "#contract/setup.ts";
import { newSession } from "#dialect/session/session-creation.ts";
import type { Registry } from "#spec/registry.ts";

const never = (): Promise<never> => Promise.reject(new Error("never loaded"));

function project(models: string[]): Registry {
  const agents = { helper: never };
  return {
    models: Object.fromEntries(models.map((name) => [name, never])),
    prompts: {},
    agents,
    tools: {},
    hooks: [],
    routes: [],
    hash: "x",
  };
}

function optionsOf(registry: Registry, agent: string | null = null, options: SetupOptions = {}) {
  const session = { threadId: crypto.randomUUID(), name: "s", derived: false, owner: null };
  const context = { agent, system_prompt: null, messages: [], tools: [] };
  return newSession(registry, { session, context, options }).setup?.options;
}

function refusalOf(work: () => unknown): ThreadholdError["refusal"] {
  try {
    work();
  } catch (thrown) {
    return (thrown as ThreadholdError).refusal;
  }
  throw new Error("It was taken.");
}

it("SESSION18 A session without a model in its request uses the project's only model or the model named default, and is refused if there is neither", () => {
  expect(optionsOf(project(["small"]))?.model).toBe("small");
  expect(optionsOf(project(["small", "default"]))?.model).toBe("default");
  expect(optionsOf(project(["small", "large"]), null, { model: "large" })?.model).toBe("large");
  const several = refusalOf(() => optionsOf(project(["small", "large"])));
  expect(several).toMatchObject({ code: "invalid_request", details: { known: ["small", "large"] } });
  expect(refusalOf(() => optionsOf(project([])))).toMatchObject({ code: "invalid_request", details: { known: [] } });
  // An agent has its own model.
  expect(optionsOf(project(["small", "large"]), "helper")).toEqual({});
});
