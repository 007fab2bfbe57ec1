// Agents with a sub-agent, over the scripted provider and the real loop.

import type { Agent, AgentOptions } from "#facade/uap/agent-contract.ts";
import { subagentTool } from "#facade/uap/subagent-tool.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import type { AgentStreamEvent, UAPEvent } from "#facade/uap/uap-event.ts";
import type { ModelReference } from "#facade/upp/model-reference.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { call } from "../../support/scripted-llm.ts";
import { scripted } from "./scripted-agent.ts";
import type { Script } from "./scripted-agent.ts";

/** A model that answers from a script. */
export function modelOf(script: Script, name = "scripted"): ModelReference {
  return scripted(name, { script });
}

/** A script that calls a tool once in each execution, and then answers with the last message. */
export function calling(name: string, args: Record<string, unknown> = {}): Script {
  return ({ messages }) => {
    const last = messages.at(-1);
    return last?.role === "tool" ? { text: `Answer: ${last.content}` } : { toolCalls: [call(name, args)] };
  };
}

export const parameters = { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const;

/** A sub-agent's tool with the name `explore`. */
export function explorerTool(explorer: Agent, more: Partial<Parameters<typeof subagentTool>[0]> = {}): Tool {
  const description = "Explores the codebase.";
  return subagentTool({
    agent: explorer,
    name: "explore",
    description,
    parameters,
    prompt: ({ query }) => String(query),
    ...more,
  });
}

/** An agent whose model calls `explore` once. */
export function parentOf(explore: Tool, more: AgentOptions = {}): Agent {
  return agent({ model: modelOf(calling("explore", { query: "Where?" }), "parent"), tools: [explore], ...more });
}

/** The events of sub-agents among those of a stream. */
export function subagentEvents(
  events: readonly AgentStreamEvent[],
): Extract<UAPEvent, { type: `subagent_${string}` }>[] {
  return events.flatMap((event) =>
    event.source === "uap" &&
    (event.uap.type === "subagent_start" || event.uap.type === "subagent_event" || event.uap.type === "subagent_end")
      ? [event.uap]
      : [],
  );
}
