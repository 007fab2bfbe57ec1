// The tools that an MCP client can call: the agents with `exposeAsTool`, and the tools with which a client continues their threads.

import { z } from "zod";

import { argumentsJsonSchema } from "#lib/json-schema.ts";
import type { JsonSchema } from "#lib/json-schema.ts";
import { callSchema } from "#spec/call-schema.ts";
import type { AnyPromptDefinition, AnyToolArgs, Registry } from "#spec/index.ts";
import { threadToolNames } from "#spec/thread-tool-names.ts";

import { outputSchema } from "./run-result.ts";

/** An agent as a tool. */
export interface AgentTool {
  name: string;
  description: string;
  schema: AnyToolArgs;
  /** The prompt of the agent's first side. */
  prompt: AnyPromptDefinition;
}

const thread_id = z.string().describe("The thread_id of the result of an agent's tool.");

/** The arguments of the tools that continue a thread. */
export const followUpSchemas = {
  [threadToolNames.message]: z.strictObject({ thread_id, message: z.string().describe("The text for the agent.") }),
  [threadToolNames.result]: z.strictObject({ thread_id }),
  [threadToolNames.answer]: z.strictObject({
    thread_id,
    call_id: z.string().min(1).max(1000).describe("The call_id of a waiting call."),
    approved: z
      .boolean()
      .optional()
      .describe("For a call of the kind approval: whether it may run. False declines a question."),
    result: z
      .string()
      .min(1)
      .optional()
      .describe(
        "For a call of the kind remote: its result, text or JSON. For a question: an object of its schema as JSON.",
      ),
    error: z.string().min(1).optional().describe("Why the call failed or was declined."),
  }),
  [threadToolNames.stop]: z.strictObject({ thread_id }),
};

const followUps: Record<keyof typeof followUpSchemas, { description: string; annotations?: object }> = {
  [threadToolNames.message]: {
    description: "Sends a message to the agent of an existing thread and returns the agent's answer.",
  },
  [threadToolNames.result]: {
    description: "Waits until the agent of a thread has finished or waits for an answer, and returns the result.",
    annotations: { readOnlyHint: true },
  },
  [threadToolNames.answer]: {
    description: "Answers a call that the agent of a thread waits for, such as an approval, and returns the result.",
  },
  [threadToolNames.stop]: { description: "Stops the agent of a thread.", annotations: { idempotentHint: true } },
};

/** The agents with `exposeAsTool`, by name. */
export type AgentTools = ReadonlyMap<string, AgentTool>;

/** Reads the agents of a project that have `exposeAsTool`. */
export async function readAgentTools({ agents, prompts }: Registry): Promise<AgentTools> {
  const loaded = await Promise.all(Object.values(agents).map((load) => load()));
  const exposed = loaded.filter(({ exposeAsTool }) => exposeAsTool === true);
  const tools = await Promise.all(
    exposed.map(async ({ name, description, toolDescription, sideA }): Promise<AgentTool | null> => {
      const prompt = await prompts[sideA.prompt]?.();
      if (prompt === undefined) return null;
      return { name, description: toolDescription ?? description ?? name, schema: callSchema(prompt), prompt };
    }),
  );
  const present = tools.filter((tool) => tool !== null).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return new Map(present.map((tool) => [tool.name, tool]));
}

/** A tool as `tools/list` returns it. */
interface ListedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations?: object;
}

/** The list of all tools. A project without exposed agents has none. */
export function listTools(agents: AgentTools): ListedTool[] {
  if (agents.size === 0) return [];
  const ofAgents = [...agents.values()].map(({ name, description, schema }) => ({
    name,
    description,
    inputSchema: argumentsJsonSchema(schema),
    outputSchema,
  }));
  const continuing = Object.values(threadToolNames).map((name) => ({
    name,
    ...followUps[name],
    inputSchema: argumentsJsonSchema(followUpSchemas[name]),
    outputSchema,
  }));
  return [...ofAgents, ...continuing];
}
