// Definitions of agents that work together: two models that talk, and prompts and agents that are called as tools. The
// system text of each prompt is its persona; a test sets the model's answers for each persona.

import { z } from "zod";

import { defineAgent, defineModel, definePrompt, defineStrategy, defineTool } from "#spec/index.ts";
import type { AnyStrategyDefinition, TestRequest, TestTurn, ThreadState } from "#spec/index.ts";

/** The models' answers by persona. */
export const scriptedAnswers = new Map<string, (request: TestRequest) => TestTurn | Promise<TestTurn>>();

/** Every request to a persona, in order. */
export const requested: { persona: string; request: TestRequest }[] = [];

/** What the tool of a test does, by its key. */
export const toolEffects = new Map<string, (state: ThreadState) => unknown>();

/** The decisions of the strategy `scripted`. */
export const decisions: { next: AnyStrategyDefinition["next"] } = { next: () => ({ type: "step" }) };

export const teamModel = defineModel({
  name: "team",
  provider: "test",
  model: "team",
  inputPrice: 1,
  outputPrice: 2,
  retry: { maxRetries: 1, initialDelayMs: 1 },
  script: (request) => {
    const persona = request.system.split(/\s/)[0] ?? "";
    requested.push({ persona, request });
    return scriptedAnswers.get(persona)?.(request) ?? { text: `${persona}: ${request.lastUser}` };
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
    const done = await toolEffects.get(key)?.(state);
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
  prompt("reasoner", { tools: ["act"], toolMode: "sequential" }),
  prompt("forgetful_reasoner", { tools: ["act"], includePastTools: false }),
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
  prompt("chief", { tools: ["helper", "mixed_debate", "planner_desk"] }),
  prompt("nester", { tools: ["debate", "nest"] }),
];

export const teamStrategies = [
  defineStrategy<"drafter", { drafted: boolean }>({
    name: "drafter",
    next: ({ last, state }) => {
      if (last === null) return { type: "step", phase: "draft", silent: true, tools: [], state: { drafted: false } };
      if (state?.drafted === true) return { type: "end", outcome: { words: last.text?.split(" ").length ?? 0 } };
      return { type: "step", phase: "improve", instruction: "Improve it.", state: { drafted: true } };
    },
  }),
  defineStrategy({
    name: "thrower",
    next: ({ last }) => (last === null ? { type: "step" } : last.calls[7]?.name) as never,
  }),
  defineStrategy({
    name: "verbose",
    next: ({ last }) => (last === null ? { type: "step" } : { type: "end", outcome: "x".repeat(3_000_000) }),
  }),
  defineStrategy({
    name: "once",
    next: ({ last }) => (last === null || last.calls.length > 0 ? { type: "step" } : { type: "end" }),
  }),
  defineStrategy({ name: "scripted", next: (turn) => decisions.next(turn) }),
  defineStrategy({ name: "endless", next: () => ({ type: "step" }) }),
];

export const teamAgents = [
  defineAgent({ name: "drafter", sideA: { prompt: "reasoner", strategy: "drafter" } }),
  defineAgent({ name: "thrower", sideA: { prompt: "reasoner", strategy: "thrower" } }),
  defineAgent({ name: "verbose", sideA: { prompt: "reasoner", strategy: "verbose" } }),
  defineAgent({ name: "endless", sideA: { prompt: "reasoner", strategy: "endless" } }),
  defineAgent({ name: "removed", sideA: { prompt: "reasoner", strategy: "gone" } }),
  defineAgent({ name: "scripted", sideA: { prompt: "reasoner", strategy: "scripted" } }),
  defineAgent({ name: "short_scripted", sideA: { prompt: "reasoner", strategy: "scripted", maxSteps: 2 } }),
  defineAgent({ name: "short_reasoner", sideA: { prompt: "reasoner", strategy: "react", maxSteps: 3 } }),
  defineAgent({ name: "reasoned_chief", sideA: { prompt: "chief", strategy: "react" } }),
  defineAgent({ name: "planner_desk", sideA: { prompt: "reasoner", strategy: "plan" }, toolDescription: "Takes over" }),
  defineAgent({
    name: "mixed_debate",
    type: "dual_ai",
    maxSessionTurns: 3,
    sideA: { prompt: "pro", strategy: "plan" },
    sideB: { prompt: "con", strategy: "scripted" },
    toolDescription: "Debates with a plan",
  }),
  defineAgent({ name: "reasoner", strategy: "react", sideA: { prompt: "reasoner" } }),
  defineAgent({
    name: "brief_reasoner",
    sideA: { prompt: "forgetful_reasoner", strategy: { type: "react", maxSteps: 1, reasoningPrompt: "Reason." } },
  }),
  defineAgent({ name: "planner", sideA: { prompt: "reasoner", strategy: { type: "plan", maxPlanSteps: 2 } } }),
  defineAgent({
    name: "strict_planner",
    sideA: { prompt: "reasoner", strategy: { type: "plan", allowReplan: false } },
  }),
  defineAgent({ name: "one_round", sideA: { prompt: "reasoner", strategy: { type: "loop", maxIterations: 1 } } }),
  defineAgent({
    name: "reasoned_debate",
    type: "dual_ai",
    maxSessionTurns: 3,
    sideA: { prompt: "pro", strategy: "react" },
    sideB: { prompt: "con" },
  }),
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
