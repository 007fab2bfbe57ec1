// The project's agents as tools. A call to an agent with two sides (two models that talk to each other) runs in a child thread. A call to
// an agent with one side hands the thread over to it.

import type { JsonObject } from "#contract/json.ts";
import { runnerDefaults } from "#core/ports/tool-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { callSchema } from "#spec/call-schema.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

import type { Definitions } from "../setup/project-definitions.ts";
import { agentToolRunner } from "../tool/child-agent-tool.ts";
import type { ChildCallPorts } from "../tool/child-agent-tool.ts";
import type { ToolSource } from "./tool-source.ts";

/** Creates the tool source that offers the project's agents as tools. */
export function agentTools(definitions: Definitions, ports: ChildCallPorts): ToolSource {
  return {
    title: "The project's agents",
    names: () => Promise.resolve(definitions.names("agents")),
    runner: (name) => (definitions.has("agents", name) ? runnerOf(name) : null),
  };

  async function runnerOf(name: string): Promise<ToolRunner> {
    const agent = await definitions.agent(name);
    const prompt = await definitions.prompt(agent.sideA.prompt);
    return agent.type === "dual_ai" ? agentToolRunner(agent, prompt, ports) : handoffRunner(agent, prompt);
  }
}

/**
 * Creates the runner of a call to an agent with one side (decision 11: handoff). It only returns a result; the thread gets its new agent
 * when the step is stored. `prompt` is the prompt of the agent's first side.
 */
function handoffRunner(agent: AnyAgentDefinition, prompt: AnyPromptDefinition): ToolRunner {
  const schema = callSchema(prompt);
  return {
    ...runnerDefaults,
    spec: {
      name: agent.name,
      description: agent.toolDescription ?? agent.description ?? `Hand the conversation over to ${agent.name}.`,
      parameters: argumentsJsonSchema(schema) as JsonObject,
    },
    timeoutMs: 1000,
    // A repeated handoff changes nothing.
    idempotent: true,
    handoff: agent.name,
    check: (args) => checkArguments(schema, args),
    run: async function* () {
      const result = `The conversation goes on with ${agent.name}.`;
      yield { type: "result", result: { status: "success", result } };
    },
  };
}
