// Loads the project's definitions by name, each when it is first used.

import { ThreadholdError } from "#contract/error.ts";
import type { ErrorCode } from "#contract/error.ts";
import type {
  AnyAgentDefinition,
  AnyModelDefinition,
  AnyPromptDefinition,
  AnyStrategyDefinition,
  AnyToolDefinition,
  Registry,
} from "#spec/index.ts";

/** Loads definitions by name. Contract: a name that is not defined rejects with `<kind>_not_found`. */
export class Definitions {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  agent(name: string): Promise<AnyAgentDefinition> {
    return load(this.#registry.agents, name, "agent");
  }

  prompt(name: string): Promise<AnyPromptDefinition> {
    return load(this.#registry.prompts, name, "prompt");
  }

  model(name: string): Promise<AnyModelDefinition> {
    return load(this.#registry.models, name, "model");
  }

  tool(name: string): Promise<AnyToolDefinition> {
    return load(this.#registry.tools, name, "tool");
  }

  /** The strategy of this name; null if the project does not define it. */
  async strategy(name: string): Promise<AnyStrategyDefinition | null> {
    const { strategies = {} } = this.#registry;
    return (Object.hasOwn(strategies, name) ? await strategies[name]?.() : null) ?? null;
  }

  has(kind: "agents" | "prompts" | "models" | "tools", name: string): boolean {
    return Object.hasOwn(this.#registry[kind], name);
  }

  names(kind: "agents" | "prompts" | "models" | "tools"): string[] {
    return Object.keys(this.#registry[kind]);
  }

  /** The file of a tool, from the project's root. Undefined if the registry was not written by the compiler. */
  toolFile(name: string): string | undefined {
    return this.#registry.files?.tools[name];
  }

  /** Whether the name begins with the prefix of a definition that has many tools. The definition may have no tool with this name. */
  hasSourcePrefix(name: string): boolean {
    return (this.toolSources ?? []).some((entry) =>
      entry.definitions.some(({ prefix }) => name.startsWith(`${prefix}__`)),
    );
  }

  /** Whether the project defines a prompt, agent or tool that a model can call by this name, or a definition with the name's prefix. */
  isCallable(name: string): boolean {
    return (
      this.has("tools", name) || this.has("prompts", name) || this.has("agents", name) || this.hasSourcePrefix(name)
    );
  }

  /** The definitions that have many tools, by kind. */
  get toolSources(): Registry["toolSources"] {
    return this.#registry.toolSources;
  }

  /** The project's skills, and the module that reads skills. */
  get skills(): Registry["skills"] {
    return this.#registry.skills;
  }

  get hash(): string {
    return this.#registry.hash;
  }

  get hooks(): Registry["hooks"] {
    return this.#registry.hooks;
  }
}

function load<T>(
  entries: Record<string, () => Promise<T>>,
  name: string,
  kind: "agent" | "prompt" | "model" | "tool",
): Promise<T> {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry !== undefined) return entry();
  const code: ErrorCode = `${kind}_not_found`;
  const known = Object.keys(entries).join(", ") || "none";
  const message = `There is no ${kind} named "${name}". Defined: ${known}.`;
  return Promise.reject(new ThreadholdError({ code, message }));
}
