// The JSON view of an agent for clients. Functions are omitted.

import type { AgentView } from "#contract/definition.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/agent.ts";

/** What the view needs in addition to the definition. */
interface AgentViewContext {
  /** Origin of the deployment, which completes an icon's absolute path. */
  origin: string;
  file: string | null;
}

/** Returns the view. */
export function agentView(agent: AnyAgentDefinition, { origin, file }: AgentViewContext): AgentView {
  // oxlint-disable-next-line typescript/no-deprecated -- definitions still have it, and user interfaces show it
  const { title } = agent;
  return {
    name: agent.name,
    file,
    title: title ?? agent.name,
    type: agent.type ?? "ai_human",
    description: agent.description ?? null,
    starters: [...(agent.starters ?? [])],
    icon: agent.icon === undefined ? null : iconUrl(agent.icon, origin),
    exposeAsTool: agent.exposeAsTool ?? false,
    toolDescription: agent.toolDescription ?? null,
    maxSessionTurns: agent.maxSessionTurns ?? null,
    sideA: sideView(agent.sideA),
    sideB: agent.sideB === undefined ? null : sideView(agent.sideB),
  };
}

function iconUrl(icon: string, origin: string): string {
  return icon.startsWith("/") ? new URL(icon, origin).href : icon;
}

function sideView(side: SideConfig): AgentView["sideA"] {
  return {
    label: side.label ?? null,
    prompt: side.prompt,
    stopOnResponse: side.stopOnResponse ?? true,
    stopTool: side.stopTool ?? null,
    stopToolResponseProperty: side.stopToolResponseProperty ?? null,
    maxSteps: side.maxSteps ?? null,
    endSessionTool: side.endSessionTool ?? null,
  };
}
