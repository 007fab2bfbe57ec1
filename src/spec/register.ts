// The names a project has defined. The compiler's `.threadhold/names.d.ts` augments `Register` with unions of
// them; until that file exists every reference is a plain string, so definitions written for
// `@standardagents/spec` type-check without it.

/**
 * The place where a project's own names enter the types. Augmented by generated code:
 *
 *     declare module "threadhold" { interface Register { models: "fast" | "deep" } }
 *
 * A project may add `events`: what each custom event that it tells with `state.emit` carries, by name. The client of
 * `threadhold/client` gives them with these types.
 */
export interface Register {}

type Registered<Kind extends string> =
  Register extends Readonly<Record<Kind, infer Name extends string>> ? Name : string;

/** A model of `agents/models/`. */
export type ModelName = Registered<"models">;

/** A prompt of `agents/prompts/`. */
export type PromptName = Registered<"prompts">;

/** An agent of `agents/agents/`. */
export type AgentName = Registered<"agents">;

/** A tool of `agents/tools/`. */
export type ToolName = Registered<"tools">;

/** What a model can call: a tool, a prompt used as one, or an agent used as one. */
export type CallableName = ToolName | PromptName | AgentName;
