// An agent whose tool is an agent of the same deployment, called by MCP.

import type { ProjectCopy } from "./project-copy.ts";

/** Adds the agent and the definition of the server to a project. Its variable `SELF_MCP_URL` is the server's address. */
export function addMcpAgents(project: ProjectCopy): void {
  project.write("agents/mcp/self.ts", server);
  project.write("agents/models/mcp_model.ts", model);
  project.write("agents/prompts/mcp_delegate.ts", prompt);
  project.write("agents/agents/mcp_delegate.ts", agent);
}

const server = `import { defineMcpServer } from "threadhold";

export default defineMcpServer({
  name: "self",
  url: ({ env }) => String(env["SELF_MCP_URL"]),
  headers: { authorization: "Bearer anna-secret" },
});
`;

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "mcp_model",
  provider: "test",
  model: "mcp_model",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: "It says: " + last.content };
    return { toolCalls: [{ name: "self__assistant", arguments: { task: lastUser } }] };
  },
});
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "mcp_delegate",
  toolDescription: "Delegates",
  prompt: "Ask the assistant.",
  model: "mcp_model",
  includeChat: true,
  tools: ["self__assistant"],
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({ name: "mcp_delegate", sideA: { prompt: "mcp_delegate" } });
`;
