// Definitions for tests about compaction: models with small windows, and a tool with a result of many lines. `windowed` records every
// request, and answers by the first word of the last message.

import { z } from "zod";

import { defineAgent, defineModel, definePrompt, defineTool } from "#spec/index.ts";
import type { ContextSummarizer, TestRequest, TestTurn } from "#spec/index.ts";

/** The answers of the models, by the first word of the user's last message; `*` for the other words. */
export const windowedScripts = new Map<string, (request: TestRequest, number: number) => TestTurn>();

/** Every request to the models, in order. */
export const windowedRequests: TestRequest[] = [];

/** Every request for a summary, in order, and the answers to them. */
export const summaryRequests: TestRequest[] = [];
export const summaries = { next: (): TestTurn => ({ text: `Summary ${summaryRequests.length}.` }) };

/** The prompt's own function for summaries. */
export const ownSummary: { make: ContextSummarizer } = { make: () => "" };

const [ownSummaries, modelSummaries] = [{ ...ownSummary }, { ...summaries }];

/** Removes the scripts, the summaries and the recorded requests of the tests so far. */
export function forgetCompactions(): void {
  windowedScripts.clear();
  for (const recorded of [windowedRequests, summaryRequests]) recorded.length = 0;
  Object.assign(ownSummary, ownSummaries);
  Object.assign(summaries, modelSummaries);
}

const script = (request: TestRequest): TestTurn => {
  windowedRequests.push(structuredClone(request));
  const word = request.lastUser.trim().split(/\s/)[0] ?? "";
  const chosen = windowedScripts.get(word) ?? windowedScripts.get("*");
  return chosen?.(request, windowedRequests.length) ?? { text: `Answer to ${request.lastUser}` };
};

export const compactedModels = [
  defineModel({ name: "windowed", provider: "test", model: "windowed", contextWindow: 4000, script }),
  defineModel({ name: "window_32k", provider: "test", model: "window_32k", contextWindow: 32_000, script }),
  defineModel({ name: "wide", provider: "test", model: "wide", script, retry: { maxRetries: 0 } }),
  defineModel({
    name: "writer",
    provider: "test",
    model: "writer",
    inputPrice: 1,
    outputPrice: 1,
    script: (request) => {
      summaryRequests.push(structuredClone(request));
      return summaries.next();
    },
  }),
  defineModel({ name: "narrow", provider: "test", model: "narrow", contextWindow: 200, script }),
];

const lines = defineTool("Returns lines", z.object({ count: z.number() }), async (_state, { count }) => {
  return { status: "success", result: Array.from({ length: count }, (_, at) => `line ${at} of a result`).join("\n") };
});

/** The number of lines of the tool `flood`, and its result. */
export const floodLines = 500_000;

const flood = defineTool("Returns 50 MB", async () => {
  return { status: "success" as const, result: `${"x".repeat(99)}\n`.repeat(floodLines) };
});

export const compactedTools = { lines, flood };

function prompt(name: string, model: string, extra: object = {}) {
  return definePrompt({
    name,
    toolDescription: name,
    prompt: "You are a test.",
    model,
    includeChat: true,
    includePastTools: true,
    tools: ["lines", "wait"],
    ...extra,
  });
}

export const compactedPrompts = [
  prompt("windowed", "windowed"),
  prompt("window_32k", "window_32k"),
  prompt("flooded", "windowed", { tools: ["flood"] }),
  prompt("caller", "windowed", { tools: ["callee"] }),
  prompt("callee", "windowed", { tools: ["lines"], requiredSchema: z.object({ task: z.string() }) }),
  prompt("wide", "wide"),
  prompt("uncompacted", "windowed", { context: { strategy: "off" } }),
  prompt("budgeted", "wide", { includeChat: false, context: { maxTokens: 1500, keepRecent: 4 } }),
  prompt("summarized", "windowed", { context: { strategy: "summarize", model: "writer", keepRecent: 4 } }),
  prompt("summarized_calls", "windowed", { tools: ["summarized_call"], parallelToolCalls: true }),
  prompt("summarized_call", "windowed", {
    includeChat: false,
    tools: ["lines"],
    requiredSchema: z.object({ task: z.string() }),
    context: { strategy: "summarize", model: "writer", maxTokens: 1500, keepRecent: 4 },
  }),
  prompt("summarized_wide", "wide", { context: { strategy: "summarize", model: "writer", keepRecent: 4 } }),
  prompt("own_summary", "windowed", {
    context: {
      strategy: (...given: Parameters<ContextSummarizer>) => ownSummary.make(...given),
      keepRecent: 4,
    },
  }),
  prompt("narrow", "narrow", { prompt: "A long system prompt. ".repeat(60) }),
];

export const compactedAgents = [
  ...compactedPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } })),
  defineAgent({
    name: "windowed_pair",
    type: "dual_ai",
    maxSessionTurns: 2,
    sideA: { prompt: "windowed" },
    sideB: { prompt: "windowed" },
  }),
];
