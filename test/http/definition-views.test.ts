// Every field of Standard Agents' definitions, in the form in which the API returns it.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  defineAgent,
  defineController,
  defineFilter,
  defineHook,
  defineModel,
  definePrompt,
  defineTool,
} from "#spec/index.ts";
import type { Registry } from "#spec/index.ts";

import { origin, refusalOf, testApp } from "./support/test-app.ts";

const desk = defineAgent({
  name: "desk",
  // oxlint-disable-next-line typescript/no-deprecated -- it is shown as long as definitions carry it
  title: "Help desk",
  type: "dual_ai",
  maxSessionTurns: 4,
  sideA: {
    label: "Clerk",
    prompt: "serve",
    stopOnResponse: false,
    stopTool: "close",
    stopToolResponseProperty: "verdict",
    maxSteps: 5,
    endSessionTool: "hang_up",
    strategy: { type: "plan", maxPlanSteps: 3 },
  },
  strategy: "react",
  sideB: { prompt: "complain" },
  exposeAsTool: true,
  toolDescription: "Settles a complaint",
  description: "Handles complaints",
  starters: ["My parcel is late", "I want a refund"],
  icon: "/icons/desk.svg",
});
const plain = defineAgent({ name: "plain", sideA: { prompt: "complain" }, icon: "https://cdn.example/x.svg" });
const exposed = defineAgent({
  name: "exposed",
  sideA: { prompt: "complain" },
  exposeAsTool: true,
  toolDescription: "X",
});
const serve = definePrompt({
  name: "serve",
  toolDescription: "Serves a customer",
  prompt: [
    { type: "text", content: "Serve. " },
    { type: "include", prompt: "complain" },
  ],
  model: "fast",
  includeChat: true,
  includePastTools: true,
  parallelToolCalls: true,
  skills: ["writing"],
  toolChoice: "required",
  structure: z.object({ done: z.boolean(), note: z.string().optional() }),
  requiredSchema: z.object({ case: z.string().describe("What it is about"), days: z.number().default(3) }),
  tools: ["close", { name: "complain", includeErrors: false }],
  reasoning: { effort: "low", maxTokens: 2000, exclude: true, include: true },
  recentImageThreshold: 2,
});
const complain = definePrompt({ name: "complain", toolDescription: "Complains", prompt: "Complain.", model: "fast" });
const fast = defineModel({
  name: "fast",
  provider: "openrouter",
  model: "some/model",
  includedProviders: ["azure"],
  fallbacks: ["slow"],
  inputPrice: 1,
  outputPrice: 2,
  cachedPrice: 0.5,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: false },
});
const slow = defineModel({ name: "slow", provider: "test", model: "m" });
const close = defineTool("Closes", async () => ({ status: "success" }));

const spend = defineTool("Spends", null, async () => ({ status: "success" }), { needsApproval: true });
const lend = defineTool("Lends", null, async () => ({ status: "success" }), { needsApproval: () => false });
const cut = defineHook("filter_messages", async (_state, messages) => messages);
const status = defineController(async () => new Response("ok"));

const entry = <T>(value: T) => Promise.resolve(value);
const registry: Registry = {
  agents: { desk: () => entry(desk), plain: () => entry(plain), exposed: () => entry(exposed) },
  prompts: { serve: () => entry(serve), complain: () => entry(complain) },
  models: { fast: () => entry(fast), slow: () => entry(slow) },
  tools: { close: () => entry(close), spend: () => entry(spend), lend: () => entry(lend) },
  strategies: {
    careful: () => entry({ name: "careful", description: "Reasons twice", next: () => ({ type: "step" as const }) }),
  },
  hooks: [{ hook: "filter_messages", file: "agents/hooks/cut.ts", load: () => entry(cut) }],
  filters: [{ file: "agents/filters/polite.ts", load: () => entry(defineFilter(() => ({ action: "pass" }))) }],
  routes: [
    {
      method: "GET",
      pattern: "/threads/:id/status",
      params: ["id"],
      file: "agents/api/threads/[id]/status.get.ts",
      kind: "thread",
      load: () => entry(status),
    },
    {
      method: "POST",
      pattern: "/inbound",
      params: [],
      file: "agents/api/inbound.post.ts",
      kind: "controller",
      access: "public",
      load: () => entry(status),
    },
  ],
  files: {
    agents: { desk: "agents/agents/front/desk.ts" },
    prompts: { serve: "agents/prompts/serve.ts" },
    models: { fast: "agents/models/fast.ts" },
    tools: { close: "agents/tools/close.ts" },
    strategies: { careful: "agents/strategies/careful.ts" },
  },
  hash: "views",
};
const { ask } = testApp({ dependencies: { registry } });

async function shown(path: string): Promise<unknown> {
  return (await ask(path)).json();
}

describe("definitions keep the document's spelling", () => {
  it("An agent is returned with the field names of Standard Agents, and an icon path is returned as a full URL", async () => {
    expect(await shown("/api/agents/desk")).toEqual({
      name: "desk",
      file: "agents/agents/front/desk.ts",
      title: "Help desk",
      type: "dual_ai",
      maxSessionTurns: 4,
      sideA: {
        label: "Clerk",
        prompt: "serve",
        stopOnResponse: false,
        strategy: "plan",
        stopTool: "close",
        stopToolResponseProperty: "verdict",
        maxSteps: 5,
        endSessionTool: "hang_up",
      },
      sideB: {
        label: null,
        prompt: "complain",
        strategy: "react",
        stopOnResponse: true,
        stopTool: null,
        stopToolResponseProperty: null,
        maxSteps: null,
        endSessionTool: null,
      },
      exposeAsTool: true,
      toolDescription: "Settles a complaint",
      description: "Handles complaints",
      starters: ["My parcel is late", "I want a refund"],
      icon: `${origin}/icons/desk.svg`,
    });
    expect(await shown("/api/agents/plain")).toMatchObject({
      title: "plain",
      file: null,
      type: "ai_human",
      starters: [],
      icon: "https://cdn.example/x.svg",
      sideB: null,
      exposeAsTool: false,
    });
    expect(await shown("/api/~/agents/desk")).toMatchObject({ icon: `${origin}/icons/desk.svg` });
  });

  it("A prompt is returned with the field names of Standard Agents, and its input and its structure as JSON Schema", async () => {
    expect(await shown("/api/prompts/serve")).toEqual({
      name: "serve",
      file: "agents/prompts/serve.ts",
      toolDescription: "Serves a customer",
      prompt: [
        { type: "text", content: "Serve. " },
        { type: "include", prompt: "complain" },
      ],
      model: "fast",
      includeChat: true,
      includePastTools: true,
      parallelToolCalls: true,
      skills: ["writing"],
      toolChoice: "required",
      requiredSchema: {
        type: "object",
        properties: {
          case: { type: "string", description: "What it is about" },
          days: { type: "number", default: 3 },
        },
        required: ["case"],
        additionalProperties: false,
      },
      structure: {
        type: "object",
        properties: { done: { type: "boolean" }, note: { type: "string" } },
        required: ["done"],
        additionalProperties: false,
      },
      tools: ["close", { name: "complain", includeErrors: false }],
      reasoning: { effort: "low", maxTokens: 2000, exclude: true, include: true },
      recentImageThreshold: 2,
    });
    expect(await shown("/api/prompts/complain")).toMatchObject({
      includeChat: false,
      includePastTools: false,
      parallelToolCalls: false,
      skills: null,
      toolChoice: "auto",
      requiredSchema: null,
      structure: null,
      tools: [],
      reasoning: null,
      recentImageThreshold: 10,
    });
  });

  it("A model is returned with the field names of Standard Agents", async () => {
    expect(await shown("/api/models/fast")).toMatchObject({
      name: "fast",
      file: "agents/models/fast.ts",
      provider: "openrouter",
      model: "some/model",
      includedProviders: ["azure"],
      fallbacks: ["slow"],
      inputPrice: 1,
      outputPrice: 2,
      cachedPrice: 0.5,
      capabilities: { vision: true, functionCalling: true, structuredOutputs: false },
    });
  });
});

describe("definitions without a name", () => {
  it("Strategies, hooks, input filters and routes are listed with their files", async () => {
    expect(await shown("/api/strategies")).toEqual({
      strategies: [{ name: "careful", file: "agents/strategies/careful.ts", description: "Reasons twice" }],
      next_cursor: null,
    });
    expect(await shown("/api/hooks")).toEqual({
      hooks: [{ hook: "filter_messages", file: "agents/hooks/cut.ts" }],
      next_cursor: null,
    });
    expect(await shown("/api/filters")).toEqual({ filters: [{ file: "agents/filters/polite.ts" }], next_cursor: null });
    expect(await shown("/api/routes")).toEqual({
      routes: [
        {
          method: "GET",
          path: "/api/threads/:id/status",
          kind: "thread",
          access: "user",
          file: "agents/api/threads/[id]/status.get.ts",
        },
        {
          method: "POST",
          path: "/api/inbound",
          kind: "controller",
          access: "public",
          file: "agents/api/inbound.post.ts",
        },
      ],
      next_cursor: null,
    });
  });
});

describe("the list of tools", () => {
  const schema = (properties: object, required: string[]) => ({
    type: "object",
    properties,
    required,
    additionalProperties: false,
  });

  it("The list of tools contains, ordered by name, tools, prompts that other prompts name in `tools`, and agents with `exposeAsTool`", async () => {
    expect(await shown("/api/tools")).toMatchObject({
      tools: [
        { name: "close", kind: "tool", description: "Closes", file: "agents/tools/close.ts" },
        { name: "complain", kind: "prompt", description: "Complains" },
        { name: "desk", kind: "agent", description: "Settles a complaint" },
        { name: "exposed", kind: "agent", description: "X" },
        { name: "lend", kind: "tool" },
        { name: "spend", kind: "tool" },
      ],
      next_cursor: null,
    });
  });

  it("An agent offered as a tool has the arguments of its side A's prompt, or the single argument `task` if that prompt has no schema", async () => {
    const wants = { case: { type: "string", description: "What it is about" }, days: { type: "number", default: 3 } };
    expect(await shown("/api/tools/desk")).toMatchObject({ parameters: schema(wants, ["case"]), remote: false });
    const task = { task: { type: "string", description: expect.any(String) } };
    expect(await shown("/api/tools/exposed")).toMatchObject({ parameters: schema(task, ["task"]) });
    expect(await shown("/api/tools/complain")).toMatchObject({ parameters: schema(task, ["task"]) });
  });

  it("A tool's view shows whether a person has to approve its calls", async () => {
    expect(await shown("/api/tools/close")).toMatchObject({ approval: "never" });
    expect(await shown("/api/tools/lend")).toMatchObject({ approval: "conditional" });
    expect(await shown("/api/tools/spend")).toMatchObject({ approval: "always" });
  });

  it("The route of a tool answers tool_not_found for an agent without `exposeAsTool` and for a prompt that no prompt names in `tools`", async () => {
    for (const name of ["plain", "serve", "constructor"]) {
      expect(await refusalOf(await ask(`/api/tools/${name}`))).toMatchObject({ status: 404, code: "tool_not_found" });
    }
  });
});
