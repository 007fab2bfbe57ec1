// A session as the definitions that the flow layer runs: one agent with one prompt, its models and its tools. There is no
// thread around it, and whoever asks for one has found a bug.

import { refuse } from "#contract/error.ts";
import type { ChildThreads } from "#core/ports/child-threads.ts";
import { Definitions } from "#flow/definitions.ts";
import type {
  AnyAgentDefinition,
  AnyModelDefinition,
  AnyPromptDefinition,
  AnyToolDefinition,
  ThreadState,
} from "#spec/index.ts";

/** Name of a session's agent and of its prompt. */
export const sessionName = "session";

/** The one agent. */
export const sessionAgent: AnyAgentDefinition = { name: sessionName, sideA: { prompt: sessionName } };

/** What they are made of. */
export interface SessionParts {
  systemPrompt: string;
  model: AnyModelDefinition;
  models: ReadonlyMap<string, AnyModelDefinition>;
  tools: ReadonlyMap<string, AnyToolDefinition>;
  /** What the execution says of how the model is to answer. */
  manner: Pick<AnyPromptDefinition, "temperature" | "maxTokens" | "reasoning">;
}

/** Makes them. Nothing is forgotten between executions: earlier ones are sent with their calls. */
export function sessionDefinitions({ systemPrompt, model, models, tools, manner }: SessionParts): Definitions {
  const prompt: AnyPromptDefinition = {
    name: sessionName,
    toolDescription: "",
    prompt: systemPrompt,
    model: model.name,
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
    // The plan's events of messages name none, so one call after the other is told.
    toolMode: "sequential",
    tools: [...tools.keys()],
    ...manner,
  };
  return new Definitions({
    models: loaders(models),
    prompts: loaders(new Map([[sessionName, prompt]])),
    agents: loaders(new Map([[sessionName, sessionAgent]])),
    tools: loaders(tools),
    hooks: [],
    routes: [],
    hash: "",
  });
}

function loaders<T>(definitions: ReadonlyMap<string, T>): Record<string, () => Promise<T>> {
  return Object.fromEntries([...definitions].map(([name, definition]) => [name, () => Promise.resolve(definition)]));
}

/** What a tool's definition is given in the place of a thread; the plan's tools see none. */
export const noThread: ThreadState = new Proxy({} as ThreadState, {
  get: (_, name) => {
    throw refuse("internal", `A session in process has no thread, so there is no "${String(name)}".`);
  },
});

/** A session's agent has no others to call. */
export const noChildren: ChildThreads = {
  depth: 0,
  newId: () => "",
  start: () => Promise.reject(refuse("internal", "A session in process has no child threads.")),
  stop: () => {},
};
