// The definitions of a thread with a setup, over projects of every kind.

import { expect, it } from "vitest";

import { setupAgent } from "#contract/setup.ts";
import type { ThreadSetup } from "#contract/setup.ts";
import { SetupDefinitions, setupPrompt } from "#flow/setup/setup-definitions.ts";
import { withOptions } from "#flow/setup/thread-setup.ts";
import type { AnyToolDefinition, Registry } from "#spec/index.ts";

const entries = <T extends { name: string }>(all: T[]): Record<string, () => Promise<T>> =>
  Object.fromEntries(all.map((one) => [one.name, () => Promise.resolve(one)]));

function project(models: string[], more: Partial<Registry> = {}): Registry {
  const prompts = entries([{ name: "p", toolDescription: "p", prompt: "Mine.", model: "small", tools: ["own"] }]);
  return {
    models: entries(models.map((name) => ({ name, provider: "test" as const, model: name }))),
    prompts,
    agents: entries([{ name: "helper", sideA: { prompt: "p" }, sideB: { prompt: "p" } }]),
    tools: { own: () => Promise.resolve(["Own", null, undefined] as AnyToolDefinition) },
    hooks: [],
    routes: [],
    hash: "x",
    ...more,
  };
}

const far = { name: "far", description: "Far", parameters: null, deadline_ms: null };

function made(more: Partial<ThreadSetup> = {}): ThreadSetup {
  return { id: "s", agent: null, system_prompt: null, tools: [], options: { model: "small" }, ...more };
}

it("SESSION18 Options of a session change the settings that they name, and nothing else", async () => {
  const registry = project(["small", "large"]);
  let session: ThreadSetup | undefined;
  const definitions = new SetupDefinitions(registry, () => session);
  const thread = { id: "t", agent_id: "helper" };
  expect(await definitions.agent("helper")).toMatchObject({ sideA: { prompt: "p" } });
  session = withOptions(session, thread, { model: "large", reasoning: { effort: "low" } });
  session = withOptions(session, thread, { temperature: 0.5, max_tokens: 9 });
  const { sideA, sideB } = await definitions.agent("helper");
  expect([sideA.prompt, sideB?.prompt]).toEqual([setupPrompt, "p"]);
  expect(await definitions.prompt(sideA.prompt)).toEqual({
    name: setupPrompt,
    toolDescription: "p",
    prompt: "Mine.",
    model: "large",
    temperature: 0.5,
    maxTokens: 9,
    reasoning: { effort: "low" },
    tools: ["own"],
  });
  expect(await definitions.prompt("p")).toMatchObject({ model: "small", tools: ["own"] });
});

it("SESSION17 An agent of the project with the name session is used by a session only if the session names it", async () => {
  const agents = entries([{ name: setupAgent, sideA: { prompt: "p" } }]);
  const registry = project(["small"], { agents });
  const own = made();
  const builtIn = new SetupDefinitions(registry, () => own);
  expect(await builtIn.agent(setupAgent)).toMatchObject({ sideA: { prompt: setupPrompt } });
  expect(await builtIn.prompt(setupPrompt)).toMatchObject({ prompt: "", model: "small", tools: [] });
  const named = made({ agent: setupAgent, options: {} });
  const projects = new SetupDefinitions(registry, () => named);
  expect(await projects.prompt(setupPrompt)).toMatchObject({ prompt: "Mine.", tools: ["own"] });
  const none = new SetupDefinitions(registry, () => undefined);
  expect(await none.agent(setupAgent)).toMatchObject({ sideA: { prompt: "p" } });
  await expect(none.prompt(setupPrompt)).rejects.toMatchObject({ code: "prompt_not_found" });
});

it("SESSION19 If the project defines a tool after a session was created, this tool replaces the client's tool of the same name", async () => {
  const session = made({ tools: [far] });
  const before = new SetupDefinitions(project(["small"]), () => session);
  expect((await before.prompt(setupPrompt)).tools).toEqual(["far"]);
  for (const kind of ["tools", "prompts", "agents"] as const) {
    const registry = project(["small"]);
    const later = { ...registry, [kind]: { ...registry[kind], far: () => Promise.reject(new Error("never asked")) } };
    const after = new SetupDefinitions(later, () => session);
    expect((await after.prompt(setupPrompt)).tools).toEqual([]);
  }
});
