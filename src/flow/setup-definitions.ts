// The definitions of a thread with a setup: the project's, extended by what the client brought. A setup without an agent is the
// built-in agent; a setup with one offers the client's tools to the first side of that agent and applies the options to its model
// requests. A definition of the project always takes precedence over a client's tool.

import { setupAgent } from "#contract/setup.ts";
import type { SetupOptions, ThreadSetup } from "#contract/setup.ts";
import type { AnyAgentDefinition, AnyPromptDefinition, Registry } from "#spec/index.ts";

import { Definitions } from "./definitions.ts";

/** Name of the prompt of a setup. No file of a project can have this name. */
export const setupPrompt = "session:prompt";

/** A thread's definitions. `setup` is called each time, since its options may change. */
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
    const base = setup.agent === null ? ownPrompt(setup) : await this.#promptOf(setup.agent);
    // A later deployment may define a tool of the same name, which the client did not ask for.
    const tools = setup.tools.map((tool) => tool.name).filter((tool) => !this.isCallable(tool));
    return { ...base, ...asked(base, setup.options), name: setupPrompt, tools: [...(base.tools ?? []), ...tools] };
  }

  /** The prompt of the agent's first side, as the project defines it. */
  async #promptOf(agent: string): Promise<AnyPromptDefinition> {
    const { sideA } = await super.agent(agent);
    return super.prompt(sideA.prompt);
  }
}

function ownPrompt({ system_prompt, options }: ThreadSetup): AnyPromptDefinition {
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

/** What the options say over the prompt. */
function asked(base: AnyPromptDefinition, options: SetupOptions): Partial<AnyPromptDefinition> {
  const { model, temperature, max_tokens, reasoning } = options;
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
    ...(reasoning === undefined ? {} : { reasoning: { ...base.reasoning, ...reasoning } }),
  };
}
