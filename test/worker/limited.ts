// Agents whose limits a test sets, and what the deployment of the test Worker allows. Their models speak as the personas of
// team.ts do.

import type { Allowance } from "#core/limits/allowed.ts";
import { noBounds } from "#core/limits/amounts.ts";
import { defineAgent, defineModel, definePrompt } from "#spec/index.ts";
import type { AnyAgentDefinition, Limits, SideConfig } from "#spec/index.ts";

import { teamModel } from "./team.ts";

const { inputPrice: _, outputPrice: __, ...unpriced } = teamModel;

/** A model whose cost is unknown, and one whose answers are bounded. */
export const limitedModels = [
  defineModel({ ...unpriced, name: "priceless" }),
  // Its answers have at most as many tokens as tests say they had.
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

/** Talks with a person, and has the others of the team to call. */
export const capped: AnyAgentDefinition = { name: "capped", sideA: { prompt: "boss" } };

/** Two sides that talk until something ends it. */
export const duel: AnyAgentDefinition & { sideB: SideConfig } = {
  name: "duel",
  type: "dual_ai",
  toolDescription: "Two voices that never end",
  sideA: { prompt: "pro" },
  sideB: { prompt: "con" },
};

export const limitedAgents = [capped, duel, defineAgent({ name: "miser", sideA: { prompt: "miser" } })];

const standard: Allowance = { run: { ...noBounds, steps: 250 }, thread: noBounds };

/** What threads that are loaded from now on are allowed. */
export const allowance: { current: Allowance } = { current: standard };

/** Takes every limit away that a test set. */
export function freshLimits(): void {
  allowance.current = standard;
  for (const agent of [capped, duel]) {
    delete agent.limits;
    delete agent.threadLimits;
    delete agent.sideA.limits;
  }
  delete duel.sideB.limits;
}

/** Sets what the deployment allows. */
export function allow(run: Partial<Allowance["run"]>, thread: Partial<Allowance["thread"]> = {}): void {
  allowance.current = { run: { ...standard.run, ...run }, thread: { ...noBounds, ...thread } };
}

/** What an agent or a side says of a run. */
export function limit(whose: { limits?: Limits }, limits: Limits): void {
  whose.limits = limits;
}
