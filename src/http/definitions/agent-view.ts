// An agent as the API shows it: what a client may need to know, no functions.

import type { AgentView } from "#contract/definition.ts";
import type { JsonObject } from "#contract/json.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/agent.ts";

/** The view. `origin` completes an icon given as a path from the root. */
export function agentView(agent: AnyAgentDefinition, origin: string): AgentView {
  // oxlint-disable-next-line typescript/no-deprecated -- definitions still carry it, and it is the name people see
  const { title } = agent;
  return {
    name: agent.name,
    title: title ?? agent.name,
    type: agent.type ?? "ai_human",
    description: agent.description ?? null,
    icon: agent.icon === undefined ? null : iconUrl(agent.icon, origin),
    expose_as_tool: agent.exposeAsTool ?? false,
    tool_description: agent.toolDescription ?? null,
    max_session_turns: agent.maxSessionTurns ?? null,
    side_a: sideView(agent.sideA),
    side_b: agent.sideB === undefined ? null : sideView(agent.sideB),
  };
}

function iconUrl(icon: string, origin: string): string {
  return icon.startsWith("/") ? new URL(icon, origin).href : icon;
}

function sideView(side: SideConfig): JsonObject {
  return {
    label: side.label ?? null,
    prompt: side.prompt,
    stop_on_response: side.stopOnResponse ?? true,
    stop_tool: side.stopTool ?? null,
    stop_tool_response_property: side.stopToolResponseProperty ?? null,
    max_steps: side.maxSteps ?? null,
    end_session_tool: side.endSessionTool ?? null,
  };
}
