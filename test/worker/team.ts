// Definitions of agents that work together: two models that talk, and prompts and agents that are called as tools. The
// system text of each prompt is its persona; a test sets the model's answers for each persona.

import { z } from "zod";

import { defineAgent, defineModel, definePrompt, defineTool } from "#spec/index.ts";
import type { TestRequest, TestTurn, ThreadState } from "#spec/index.ts";

/** The models' answers by persona. */
export const personas = new Map<string, (request: TestRequest) => TestTurn | Promise<TestTurn>>();

/** Every request to a persona, in order. */
export const asked: { persona: string; request: TestRequest }[] = [];

/** What the tool of a test does, by its key. */
export const acts = new Map<string, (state: ThreadState) => unknown>();

export const teamModel = defineModel({
  name: "team",
  provider: "test",
  model: "team",
  inputPrice: 1,
  outputPrice: 2,
  retry: { maxRetries: 1, initialDelayMs: 1 },
  script: (request) => {
    const persona = request.system.split(/\s/)[0] ?? "";
    asked.push({ persona, request });
    return personas.get(persona)?.(request) ?? { text: `${persona}: ${request.lastUser}` };
  },
});

const say = z.object({ said: z.string() });

export const teamTools = {
  conclude: defineTool(
    "Ends the talk",
    say,
    async (_state: ThreadState, { said }) => ({ status: "success", result: JSON.stringify({ verdict: said }) }),
    { idempotent: true },
  ),
  pass: defineTool("Passes the word", say, async () => ({ status: "success", result: "passed" }), { idempotent: true }),
  act: defineTool("Does what the test says", z.object({ key: z.string() }), async (state: ThreadState, { key }) => {
    const done = await acts.get(key)?.(state);
    return { status: "success", result: JSON.stringify(done ?? null) };
  }),
};

function prompt(name: string, extra: object = {}) {
  return definePrompt({
    name,
    toolDescription: `Asks ${name}`,
    prompt: `${name} speaks.`,
    model: "team",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
    ...extra,
  });
}

const topic = z.object({ topic: z.string(), depth: z.number().default(1) });

export const teamPrompts = [
  prompt("pro", { tools: ["act", "pass", "helper", "nest"] }),
  prompt("con", { tools: ["conclude", "act"] }),
  prompt("boss", {
    tools: [
      "act",
      "helper",
      {
        name: "quiet",
        includeToolCalls: false,
        includeErrors: false,
        initUserMessageProperty: "topic",
      },
      { name: "wordless", includeTextResponse: false, includeErrors: false },
      "plain",
      "chatty",
      "deep",
      "debate",
      "panel",
      "duel",
      "miser",
      "measured",
      "billing",
      "nest",
      "pass",
    ],
  }),
  prompt("desk", { tools: ["billing", "act"] }),
  prompt("clerk", { tools: ["act", "support"] }),
  prompt("helper", { includeChat: false, tools: ["act", "deep", "billing", "debate", "nest"] }),
  prompt("quiet", {
    includeChat: false,
    requiredSchema: topic,
    tools: ["act"],
  }),
  prompt("plain", { includeChat: false, requiredSchema: topic }),
  prompt("wordless", { includeChat: false, tools: ["act"] }),
  prompt("chatty"),
  prompt("deep", { includeChat: false, tools: ["act", "deep"] }),
  prompt("nester", { tools: ["debate", "nest"] }),
];

export const teamAgents = [
  defineAgent({
    name: "debate",
    type: "dual_ai",
    maxSessionTurns: 4,
    sideA: { label: "Pro", prompt: "pro" },
    sideB: { label: "Con", prompt: "con", endSessionTool: "conclude" },
    toolDescription: "Two voices debate",
  }),
  defineAgent({
    name: "panel",
    type: "dual_ai",
    maxSessionTurns: 6,
    sideA: { prompt: "pro", stopTool: "pass", stopToolResponseProperty: "said", maxSteps: 2 },
    sideB: { prompt: "con", maxSteps: 2, endSessionTool: "conclude", stopToolResponseProperty: "verdict" },
    toolDescription: "A panel discusses",
  }),
  defineAgent({
    name: "nest",
    type: "dual_ai",
    maxSessionTurns: 1,
    sideA: { prompt: "nester" },
    sideB: { prompt: "con" },
    toolDescription: "Asks further down",
  }),
  defineAgent({ name: "boss", sideA: { prompt: "boss" } }),
  defineAgent({
    name: "support",
    sideA: { prompt: "desk" },
    toolDescription: "Back to support",
  }),
  defineAgent({
    name: "billing",
    sideA: { prompt: "clerk" },
    exposeAsTool: true,
    toolDescription: "Hands over to billing",
  }),
];
