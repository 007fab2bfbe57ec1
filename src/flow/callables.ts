// What a prompt lets its model call: tools, prompts, agents, each as the loop runs it (Standard Agents, PromptDefinition
// `tools`). A name means the tool of that name, else the prompt, else the agent.

import type { ChildThreads } from "#core/ports/child-threads.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { SubpromptConfig, ThreadState } from "#spec/index.ts";

import { agentToolRunner } from "./agent-tool.ts";
import { clientToolRunner } from "./client-tool.ts";
import type { Definitions } from "./definitions.ts";
import { handoffRunner } from "./handoff.ts";
import { subpromptRunner } from "./subprompt.ts";
import { toolRunner } from "./tool-runner.ts";

/** What callables are made with. */
export interface CallableSources {
  definitions: Definitions;
  state: ThreadState;
  clock: Clock;
  faults: Faults;
  children: ChildThreads;
}

/** Builds the steps of a line under a call. */
export type BuilderFor = Parameters<typeof subpromptRunner>[2];

/** The runner of one entry; null for a name that is not defined. */
export async function callable(
  entry: string | SubpromptConfig,
  sources: CallableSources,
  builderFor: BuilderFor,
): Promise<ToolRunner | null> {
  const { definitions } = sources;
  const config = typeof entry === "string" ? { name: entry } : entry;
  const { name } = config;
  if (typeof entry === "string" && definitions.has("tools", name)) {
    return toolRunner(name, await definitions.tool(name), sources);
  }
  if (definitions.has("prompts", name)) return subpromptRunner(config, await definitions.prompt(name), builderFor);
  if (definitions.has("tools", name)) return toolRunner(name, await definitions.tool(name), sources);
  if (!definitions.has("agents", name)) {
    const brought = definitions.clientTool(name);
    return brought === null ? null : clientToolRunner(brought, sources.clock);
  }
  const agent = await definitions.agent(name);
  const prompt = await definitions.prompt(agent.sideA.prompt);
  return agent.type === "dual_ai" ? agentToolRunner(agent, prompt, sources) : handoffRunner(agent, prompt);
}
