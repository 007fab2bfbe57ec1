// Agents whose limits a test sets, and the limits that the test Worker's deployment allows. Their models answer as the
// personas of team.ts do.

import type { Allowance } from "#core/limits/allowed.ts";
import { noBounds } from "#core/limits/amounts.ts";
import { defineAgent, defineModel, definePrompt } from "#spec/index.ts";
import type { AnyAgentDefinition, Limits, SideConfig } from "#spec/index.ts";

import { teamModel } from "./team.ts";

const { inputPrice: _, outputPrice: __, ...unpriced } = teamModel;

/** A model whose cost is unknown, and one whose answers have a maximum length. */
export const limitedModels = [
  defineModel({ ...unpriced, name: "priceless" }),
  // Its answers may have at most as many tokens as the answers in the tests report.
  defineModel({ ...teamModel, name: "measured", maxTokens: 40 }),
];

export const limitedPrompts = [
  definePrompt({
    name: "miser",
    toolDescription: "Asks the miser",
    prompt: "miser speaks.",
    model: "priceless",
    includeChat: true,
    tools: ["act"],
  }),
  definePrompt({
    name: "measured",
    toolDescription: "Asks one whose answers are short",
    prompt: "measured speaks.",
    model: "measured",
    parallelToolCalls: true,
  }),
];

/** Talks with a person, and can call the team's prompts and agents. */
export const capped: AnyAgentDefinition = { name: "capped", sideA: { prompt: "boss" } };

/** Two sides that talk until the run ends. */
export const duel: AnyAgentDefinition & { sideB: SideConfig } = {
  name: "duel",
  type: "dual_ai",
  toolDescription: "Two voices that never end",
  sideA: { prompt: "pro" },
  sideB: { prompt: "con" },
};

export const limitedAgents = [capped, duel, defineAgent({ name: "miser", sideA: { prompt: "miser" } })];

const standard: Allowance = { run: { ...noBounds, steps: 250 }, thread: noBounds };

/** The deployment's limits for threads that are loaded from now on. */
export const allowance: { current: Allowance } = { current: standard };

/** Removes every limit that a test set. */
export function resetLimits(): void {
  allowance.current = standard;
  for (const agent of [capped, duel]) {
    delete agent.limits;
    delete agent.threadLimits;
    delete agent.sideA.limits;
    delete agent.sideA.maxSteps;
  }
  delete duel.sideB.limits;
}

/** Sets the deployment's limits. */
export function allow(run: Partial<Allowance["run"]>, thread: Partial<Allowance["thread"]> = {}): void {
  allowance.current = { run: { ...standard.run, ...run }, thread: { ...noBounds, ...thread } };
}

/** Sets the limits of an agent or a side. */
export function limit(whose: { limits?: Limits }, limits: Limits): void {
  whose.limits = limits;
}
