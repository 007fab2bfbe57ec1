// An agent as the API shows it: what a client may need to know, no functions.

import type { AgentView } from "#contract/definition.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/agent.ts";

/** The deployment's origin and the agent's file. */
interface Shown {
  /** Completes an icon given as a path from the root. */
  origin: string;
  file: string | null;
}

/** The view. */
export function agentView(agent: AnyAgentDefinition, { origin, file }: Shown): AgentView {
  // oxlint-disable-next-line typescript/no-deprecated -- definitions still carry it, and it is the name people see
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
