// The names of a project's definitions as types. The compiler writes `.threadhold/names.d.ts`, which adds unions of names to
// `Register`. Without that file every name is a plain string, so definitions for `@standardagents/spec` still type-check.

/**
 * The interface through which a project's names enter the types. Generated code augments it:
 *
 *     declare module "threadhold" { interface Register { models: "fast" | "deep" } }
 *
 * A project may add `events`: the data type of each custom event that it emits with `state.emit`, by event name. The client of
 * `threadhold/client` uses these types.
 */
export interface Register {}

type Registered<Kind extends string> =
  Register extends Readonly<Record<Kind, infer Name extends string>> ? Name : string;

/**
 * The bindings, variables and secrets of the Worker, by name. `threadhold build` types them from the wrangler file and the names in
 * `.dev.vars` and `.dev.vars.example`. Without these types each value is `unknown`.
 */
export type WorkerEnv =
  Register extends Readonly<Record<"env", infer Env extends object>> ? Env : Readonly<Record<string, unknown>>;

/** Name of a model in `agents/models/`. */
export type ModelName = Registered<"models">;

/** Name of a provider in `agents/providers/`. */
export type ProviderName = Register extends Readonly<Record<"providers", infer Name extends string>> ? Name : never;

/** Name of a prompt in `agents/prompts/`. */
export type PromptName = Registered<"prompts">;

/** Name of an agent in `agents/agents/`. */
export type AgentName = Registered<"agents">;

/** Name of a tool in `agents/tools/`. */
export type ToolName = Registered<"tools">;

/** Name of a strategy in `agents/strategies/`. */
export type StrategyName = Registered<"strategies">;

/** Name of a skill in `agents/skills/`. */
export type SkillName = Registered<"skills">;

/** Name of a tool of a definition in `agents/mcp/` or `agents/openapi/`: the definition's prefix, `__`, and the name of the tool; or `prefix__*` for all of them. */
export type SourceToolName =
  Register extends Readonly<Record<"toolPrefixes", infer Prefix extends string>> ? `${Prefix}__${string}` : never;

/** Name that a model can call: of a tool, or of a prompt or agent that is used as a tool. */
export type CallableName = ToolName | PromptName | AgentName | SourceToolName;
