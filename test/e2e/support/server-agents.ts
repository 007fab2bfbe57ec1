import { addMcpAgents } from "./mcp-agents.ts";
import { addOwnProviderAgents } from "./own-provider-agents.ts";
import type { ProjectCopy } from "./project-copy.ts";
import { addSlowTools } from "./slow-tools.ts";
import { addWeatherAgents } from "./weather-agents.ts";

/** Adds the agents of several tests to a project. Their projects are then the same, and their servers serve one stored bundle. */
export function addServerAgents(project: ProjectCopy): void {
  addWeatherAgents(project);
  addSlowTools(project);
  addMcpAgents(project);
  addOwnProviderAgents(project);
}
