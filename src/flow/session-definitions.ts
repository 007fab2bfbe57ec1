// The definitions of a thread that is a session: the project's, and over them what the session brought (contract, "Session
// endpoint"). Without an agent of its own it is the built-in agent `session`; with one, that agent's first side is offered
// the client's tools too and asked as the session's options say. Nothing a client brings stands before what the project has.

import type { ClientTool, SessionOptions } from "#contract/session/execute-input.ts";
import type { SessionRecord } from "#core/record.ts";
import type { AnyAgentDefinition, AnyPromptDefinition, Registry } from "#spec/index.ts";

import { Definitions } from "./definitions.ts";

/** The built-in agent. In a session without an agent the name means this one, also where the project has its like. */
export const sessionAgent = "session";

/** Name of the prompt that a session speaks with: one that no file of a project has. */
export const sessionPrompt = "session:prompt";

/** A thread's definitions; `session` is asked each time, since its options may change. */
export class SessionDefinitions extends Definitions {
  readonly #session: () => SessionRecord | undefined;

  constructor(registry: Registry, session: () => SessionRecord | undefined) {
    super(registry);
    this.#session = session;
  }

  override async agent(name: string): Promise<AnyAgentDefinition> {
    const session = this.#session();
    if (session === undefined) return super.agent(name);
    if (session.agent === null && name === sessionAgent) {
      return { name: sessionAgent, type: "ai_human", sideA: { prompt: sessionPrompt } };
    }
    const agent = await super.agent(name);
    return name === session.agent ? { ...agent, sideA: { ...agent.sideA, prompt: sessionPrompt } } : agent;
  }

  override async prompt(name: string): Promise<AnyPromptDefinition> {
    const session = this.#session();
    if (session === undefined || name !== sessionPrompt) return super.prompt(name);
    const base = session.agent === null ? ownPrompt(session) : await this.#promptOf(session.agent);
    const tools = session.tools.map((tool) => tool.name).filter((tool) => this.clientTool(tool) !== null);
    return { ...base, ...asked(base, session.options), name: sessionPrompt, tools: [...(base.tools ?? []), ...tools] };
  }

  override clientTool(name: string): ClientTool | null {
    // A later deployment may have come to define one of the name.
    if (this.isCallable(name)) return null;
    return this.#session()?.tools.find((tool) => tool.name === name) ?? null;
  }

  /** The prompt of the agent's first side, as the project defines it. */
  async #promptOf(agent: string): Promise<AnyPromptDefinition> {
    const { sideA } = await super.agent(agent);
    return super.prompt(sideA.prompt);
  }
}

function ownPrompt({ system_prompt, options }: SessionRecord): AnyPromptDefinition {
  return {
    name: sessionPrompt,
    toolDescription: "",
    prompt: system_prompt ?? "",
    model: options.model ?? "",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
  };
}

/** What the options say over the prompt. */
function asked(base: AnyPromptDefinition, options: SessionOptions): Partial<AnyPromptDefinition> {
  const { model, temperature, max_tokens, reasoning } = options;
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
    ...(reasoning === undefined ? {} : { reasoning: { ...base.reasoning, ...reasoning } }),
  };
}
