// An agent with sources of tools: the reference MCP server, MCP servers that misbehave, an API with an OpenAPI document,
// and a skill. The servers run on the loopback. The MCP servers have a process of their own.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { startApiServer } from "../../support/api-server/server.mjs";

/** The running servers. */
export interface SourceServers {
  close: () => Promise<void>;
}

/** Starts the servers, and adds the agent `sourced` with their definitions to a project. */
export async function addSourceAgents(project: ProjectCopy): Promise<SourceServers> {
  const [mcp, api] = await Promise.all([startMcpServers(), startApiServer()]);
  const everything = mcpServer("everything", `${mcp.url}/everything`, {
    needsApproval: '["get-sum"]',
    headers: '({ env }) => ({ "x-token": String(env.EVERYTHING_TOKEN) })',
  });
  project.write("agents/mcp/everything.ts", everything);
  project.write("agents/mcp/markup.ts", mcpServer("markup", `${mcp.url}/bad/markup`));
  project.write("agents/mcp/unreachable.ts", mcpServer("unreachable", `${mcp.url}/bad/missing`));
  project.write("agents/openapi/notes.ts", openApi(api.url));
  project.write("agents/skills/reports/SKILL.md", skill);
  project.write("agents/skills/reports/references/figures.md", "Round figures to whole numbers.\n");
  project.write("agents/prompts/sourced_rules.ts", prompt);
  project.write("agents/agents/sourced.ts", agent);
  return {
    close: async () => {
      await Promise.all([mcp.close(), api.close()]);
    },
  };
}

/** Starts the MCP servers of the tests in a process of their own. */
export async function startMcpServers(): Promise<{ url: string; close: () => Promise<void> }> {
  const program = fileURLToPath(new URL("../../support/mcp-server/main.mjs", import.meta.url));
  const server = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(server, "exit");
  const [started] = (await Promise.race([once(server, "message"), ended])) as [{ url?: string } | number | null];
  if (typeof started !== "object" || started?.url === undefined) throw new Error("The MCP servers did not start.");
  return {
    url: started.url,
    close: async () => {
      server.disconnect();
      await ended;
    },
  };
}

function mcpServer(name: string, url: string, fields: Record<string, string> = {}): string {
  const more = Object.entries(fields).map(([field, value]) => `  ${field}: ${value},\n`);
  return `import { defineMcpServer } from "threadhold";

export default defineMcpServer({
  name: "${name}",
  url: "${url}",
  allowedHosts: ["${new URL(url).host}"],
${more.join("")}});
`;
}

const openApi = (url: string): string => `import { defineOpenApi } from "threadhold";

export default defineOpenApi({
  name: "notes",
  document: {
    openapi: "3.1.0",
    info: { title: "Notes", version: "3" },
    paths: {
      "/notes/{id}": {
        get: {
          operationId: "read",
          summary: "Reads a note",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        },
      },
    },
  },
  baseUrl: "${url}/playground/api/",
  allowedHosts: ["${new URL(url).host}"],
});
`;

const skill = `---
name: reports
description: Use for weekly reports.
---

# Reports

Begin with the <b>result</b>.
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "sourced_rules",
  toolDescription: "Uses tools of servers",
  prompt: "Use your tools.",
  model: "demo",
  tools: ["everything__*", "markup__markup", "unreachable__*", "notes__*"],
  skills: ["reports"],
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({ name: "sourced", description: "An agent with sources of tools", sideA: { prompt: "sourced_rules" } });
`;
