// The runner of a tool call to an agent with one side (decision 11: handoff). The runner only returns a result; the thread gets its
// new agent when the step is stored.

import type { JsonObject } from "#contract/json.ts";
import { runnerDefaults, type ToolRunner } from "#core/ports/tool-port.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { callSchema } from "#spec/call-schema.ts";
import type { AnyAgentDefinition, AnyPromptDefinition } from "#spec/index.ts";

/** Creates the runner. `prompt` is the prompt of the agent's first side. */
export function handoffRunner(agent: AnyAgentDefinition, prompt: AnyPromptDefinition): ToolRunner {
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
