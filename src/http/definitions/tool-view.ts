// The JSON views of everything a model can call, each with the JSON Schema that models receive. A tool's name is that of its file,
// so it comes from the registry.

import type { ToolView } from "#contract/definition.ts";
import type { JsonObject } from "#contract/json.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { callSchema } from "#spec/call-schema.ts";
import { readTool } from "#spec/define-tool.ts";
import type { AnyAgentDefinition, AnyPromptDefinition, AnyToolArgs, AnyToolDefinition, Registry } from "#spec/index.ts";

const loop = { remote: false, result_schema: null, approval: "never" } as const;

/** Returns the file of a definition; null if it is unknown. */
type FileOf = (kind: "agents" | "prompts" | "tools", name: string) => string | null;

function toolView(name: string, definition: AnyToolDefinition, file: string | null): ToolView {
  const { description, schema, run, options } = readTool(definition);
  const { resultSchema, needsApproval = false } = options;
  return {
    name,
    file,
    kind: "tool",
    description,
    parameters: schemaOf(schema),
    remote: run === undefined,
    // Remote tools need no approval here: the client that runs them asks the person itself.
    approval:
      run === undefined || needsApproval === false ? "never" : needsApproval === true ? "always" : "conditional",
    result_schema: run === undefined && resultSchema !== undefined ? schemaOf(resultSchema) : null,
  };
}

/** The view of a prompt that another prompt offers as a tool. */
function promptToolView(prompt: AnyPromptDefinition, file: string | null): ToolView {
  const { name, toolDescription: description } = prompt;
  return { name, file, kind: "prompt", description, ...loop, parameters: schemaOf(callSchema(prompt)) };
}

/** The view of an exposed agent. Its arguments are those of the prompt of side A. */
function agentToolView(agent: AnyAgentDefinition, prompt: AnyPromptDefinition, file: string | null): ToolView {
  const description = agent.toolDescription ?? agent.description ?? "";
  return { name: agent.name, file, kind: "agent", description, ...loop, parameters: schemaOf(callSchema(prompt)) };
}

function schemaOf(schema: AnyToolArgs | null): JsonObject {
  return argumentsJsonSchema(schema) as JsonObject;
}

/** The views by name: tools, prompts that other prompts offer, and agents with `exposeAsTool`. */
export async function toolViews(
  registry: Pick<Registry, "tools" | "prompts" | "agents">,
  fileOf: FileOf,
): Promise<Map<string, ToolView>> {
  const views = new Map<string, ToolView>();
  const prompts = new Map((await loaded(registry.prompts)).map(([, prompt]) => [prompt.name, prompt]));
  for (const [, agent] of await loaded(registry.agents)) {
    const prompt = prompts.get(agent.sideA.prompt);
    if (agent.exposeAsTool === true && prompt !== undefined)
      views.set(agent.name, agentToolView(agent, prompt, fileOf("agents", agent.name)));
  }
  for (const { tools = [] } of prompts.values()) {
    for (const offer of tools) {
      const prompt = prompts.get(typeof offer === "string" ? offer : offer.name);
      if (prompt !== undefined) views.set(prompt.name, promptToolView(prompt, fileOf("prompts", prompt.name)));
    }
  }
  // If several definitions share a name, models call the tool.
  for (const [name, tool] of await loaded(registry.tools)) views.set(name, toolView(name, tool, fileOf("tools", name)));
  return new Map([...views].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function loaded<D>(loaders: Record<string, () => Promise<D>>): Promise<[string, D][]> {
  return Promise.all(Object.entries(loaders).map(async ([name, load]): Promise<[string, D]> => [name, await load()]));
}
