// An agent with a tool of an MCP server that requires OAuth. The authorization server and the MCP server run in a separate
// process (test/support/mcp-server), as for the tests inside workerd.

import { randomBytes } from "node:crypto";

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { startMcpServers } from "./source-agents.ts";

/** Adds the agent `connector` to a project, and starts the servers of its tool. */
export async function addProtectedAgent(project: ProjectCopy): Promise<{ close: () => Promise<void> }> {
  const { url, close } = await startMcpServers();
  project.write("agents/mcp/vault.ts", definition(url));
  project.write("agents/models/connector.ts", model);
  project.write("agents/prompts/connector_rules.ts", prompt);
  project.write("agents/agents/connector.ts", agent);
  return { close };
}

/** Arguments of the dev command: the key that encrypts tokens. */
export const protectedVariables = ["--var", `ENCRYPTION_KEY:${randomBytes(32).toString("base64")}`];

const definition = (url: string) => `import { defineMcpServer } from "threadhold";

export default defineMcpServer({
  name: "vault",
  url: ({ threadId }) => \`${url}/oauth/\${threadId || "page"}/mcp\`,
  allowedHosts: ["${new URL(url).host}"],
  oauth: true,
});
`;

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "connector",
  provider: "test",
  model: "connector",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, tools }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: "The vault is open." };
    if (!tools.some(({ name }) => name === "vault__whoami")) return { text: "Please connect to the vault." };
    return { toolCalls: [{ name: "vault__whoami", arguments: {} }] };
  },
});
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "connector_rules",
  toolDescription: "Opens the vault",
  model: "connector",
  includeChat: true,
  prompt: "Open the vault.",
  tools: ["vault__*"],
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({ name: "connector", description: "Opens a vault", sideA: { prompt: "connector_rules" } });
`;
