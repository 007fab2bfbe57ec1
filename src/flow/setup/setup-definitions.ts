// The definitions of a thread with a client's setup: the project's definitions, extended by the client's tools and options. A setup without
// an agent uses the built-in agent. A setup with an agent adds the client's tools to that agent's first side (its model, or the first of
// its two), and applies the options to its model requests. A definition of the project takes precedence over a client's tool with the same
// name.

import { setupAgent } from "#contract/setup.ts";
import type { SetupOptions, ThreadSetup } from "#contract/setup.ts";
import type { AnyAgentDefinition, AnyPromptDefinition, Registry } from "#spec/index.ts";

import { Definitions } from "./project-definitions.ts";

/** The name of a setup's prompt. A file of a project cannot have this name. */
export const setupPrompt = "session:prompt";

/** A thread's definitions. `setup` is called at each use, because its options may change. */
export class SetupDefinitions extends Definitions {
  readonly #setup: () => ThreadSetup | undefined;

  constructor(registry: Registry, setup: () => ThreadSetup | undefined) {
    super(registry);
    this.#setup = setup;
  }

  override async agent(name: string): Promise<AnyAgentDefinition> {
    const setup = this.#setup();
    if (setup === undefined) return super.agent(name);
    if (setup.agent === null && name === setupAgent) {
      return { name: setupAgent, type: "ai_human", sideA: { prompt: setupPrompt } };
    }
    const agent = await super.agent(name);
    return name === setup.agent ? { ...agent, sideA: { ...agent.sideA, prompt: setupPrompt } } : agent;
  }

  override async prompt(name: string): Promise<AnyPromptDefinition> {
    const setup = this.#setup();
    if (setup === undefined || name !== setupPrompt) return super.prompt(name);
    const base = setup.agent === null ? setupPromptOf(setup) : await this.#promptOf(setup.agent);
    // A later deployment may define a tool with the name of a client's tool. The client did not ask for that tool, so it is not offered.
    const tools = setup.tools.map((tool) => tool.name).filter((tool) => !this.isCallable(tool));
    return {
      ...base,
      ...optionFields(base, setup.options),
      name: setupPrompt,
      tools: [...(base.tools ?? []), ...tools],
    };
  }

  /** The prompt of the agent's first side, as defined by the project. */
  async #promptOf(agent: string): Promise<AnyPromptDefinition> {
    const { sideA } = await super.agent(agent);
    return super.prompt(sideA.prompt);
  }
}

function setupPromptOf({ system_prompt, options }: ThreadSetup): AnyPromptDefinition {
  return {
    name: setupPrompt,
    toolDescription: "",
    prompt: system_prompt ?? "",
    model: options.model ?? "",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
  };
}

/** The fields of the prompt that the options replace. */
function optionFields(base: AnyPromptDefinition, options: SetupOptions): Partial<AnyPromptDefinition> {
  const { model, temperature, max_tokens, reasoning } = options;
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
    ...(reasoning === undefined ? {} : { reasoning: { ...base.reasoning, ...reasoning } }),
  };
}
