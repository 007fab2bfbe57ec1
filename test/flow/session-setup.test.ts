// What a session is set up with, against projects of every kind.

import { expect, it } from "vitest";

import type { ThreadholdError } from "#contract/error.ts";
import type { SessionContext, SessionOptions } from "#contract/session/execute-input.ts";
import type { SessionRecord } from "#core/record.ts";
import { Definitions } from "#flow/definitions.ts";
import { SessionDefinitions, sessionAgent, sessionPrompt } from "#flow/session-definitions.ts";
import { sessionRecord, withOptions } from "#flow/session-setup.ts";
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

const bare: SessionContext = { agent: null, system_prompt: null, messages: [], tools: [] };
const far = { name: "far", description: "Far", parameters: null, deadline_ms: null };

function made(registry: Registry, context: Partial<SessionContext> = {}, options: SessionOptions = {}): SessionRecord {
  return sessionRecord("s", { ...bare, ...context }, { options, definitions: new Definitions(registry) });
}

function refusal(work: () => unknown): ThreadholdError["refusal"] {
  try {
    work();
  } catch (thrown) {
    return (thrown as ThreadholdError).refusal;
  }
  throw new Error("It was taken.");
}

it("SESSION18 A session that names no model has the only one, or the one that is called default", () => {
  expect(made(project(["small"])).options.model).toBe("small");
  expect(made(project(["small", "default"])).options.model).toBe("default");
  expect(made(project(["small", "large"]), {}, { model: "large" }).options.model).toBe("large");
  const several = refusal(() => made(project(["small", "large"])));
  expect(several).toMatchObject({ code: "invalid_request", details: { known: ["small", "large"] } });
  expect(refusal(() => made(project([])))).toMatchObject({ code: "invalid_request", details: { known: [] } });
  // An agent has a model of its own.
  expect(made(project(["small", "large"]), { agent: "helper" }).options).toEqual({});
});

it("SESSION18 Options change what they name, and nothing else", async () => {
  const registry = project(["small", "large"]);
  let session: SessionRecord | undefined;
  const definitions = new SessionDefinitions(registry, () => session);
  const thread = { id: "t", agent_id: "helper" };
  expect(await definitions.agent("helper")).toMatchObject({ sideA: { prompt: "p" } });
  session = withOptions(session, thread, { model: "large", reasoning: { effort: "low" } });
  session = withOptions(session, thread, { temperature: 0.5, max_tokens: 9 });
  const { sideA, sideB } = await definitions.agent("helper");
  expect([sideA.prompt, sideB?.prompt]).toEqual([sessionPrompt, "p"]);
  expect(await definitions.prompt(sideA.prompt)).toEqual({
    name: sessionPrompt,
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

it("SESSION17 An agent of the project that is called session is reached by its name alone", async () => {
  const agents = entries([{ name: sessionAgent, sideA: { prompt: "p" } }]);
  const registry = project(["small"], { agents });
  const own = made(registry);
  const builtIn = new SessionDefinitions(registry, () => own);
  expect(await builtIn.agent(sessionAgent)).toMatchObject({ sideA: { prompt: sessionPrompt } });
  expect(await builtIn.prompt(sessionPrompt)).toMatchObject({ prompt: "", model: "small", tools: [] });
  const named = made(registry, { agent: sessionAgent });
  const projects = new SessionDefinitions(registry, () => named);
  expect(await projects.prompt(sessionPrompt)).toMatchObject({ prompt: "Mine.", tools: ["own"] });
  const none = new SessionDefinitions(registry, () => undefined);
  expect(await none.agent(sessionAgent)).toMatchObject({ sideA: { prompt: "p" } });
  await expect(none.prompt(sessionPrompt)).rejects.toMatchObject({ code: "prompt_not_found" });
});

it("SESSION19 A name that the project comes to define later is the project's", async () => {
  const session = made(project(["small"]), { tools: [far] });
  const before = new SessionDefinitions(project(["small"]), () => session);
  expect(before.clientTool("far")).toEqual(far);
  expect((await before.prompt(sessionPrompt)).tools).toEqual(["far"]);
  for (const kind of ["tools", "prompts", "agents"] as const) {
    const registry = project(["small"]);
    const later = { ...registry, [kind]: { ...registry[kind], far: () => Promise.reject(new Error("never asked")) } };
    const after = new SessionDefinitions(later, () => session);
    expect(after.clientTool("far")).toBeNull();
    expect((await after.prompt(sessionPrompt)).tools).toEqual([]);
  }
});
