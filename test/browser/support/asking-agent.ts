// An agent with a tool of an MCP server that asks the user a question. The server is the one of the tests inside the runtime.

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { startMcpServers } from "./source-agents.ts";

/** Adds the agent `asker` to a project, and starts the server of its tool. */
export async function addAskingAgent(project: ProjectCopy): Promise<{ close: () => Promise<void> }> {
  const { url, close } = await startMcpServers();
  project.write("agents/mcp/desk.ts", definition(url));
  project.write("agents/models/asker.ts", model);
  project.write("agents/prompts/asker_rules.ts", prompt);
  project.write("agents/agents/asker.ts", agent);
  return { close };
}

const definition = (url: string) => `import { defineMcpServer } from "threadhold";

export default defineMcpServer({
  name: "desk",
  url: "${url}/bad/asking",
  headers: ({ threadId }) => ({ "x-scope": threadId }),
  allowedHosts: ["${new URL(url).host}"],
  elicitation: true,
});
`;

const model = `import { defineModel } from "threadhold";

const form = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", maxLength: 20 },
    room: { type: "string", title: "Room", oneOf: [{ const: "s", title: "Single" }, { const: "d", title: "Double" }] },
    nights: { type: "integer", title: "Nights", minimum: 1 },
  },
  required: ["name", "nights"],
};
const questions = [{ message: "Whom may I <b>announce</b>?\\nPlease fill in the form.", requestedSchema: form }];

export default defineModel({
  name: "asker",
  provider: "test",
  model: "asker",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: "The desk received an answer." };
    return { toolCalls: [{ name: "desk__ask", arguments: { questions } }] };
  },
});
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "asker_rules",
  toolDescription: "Asks at the desk",
  model: "asker",
  includeChat: true,
  tools: ["desk__*"],
  prompt: "Ask at the desk.",
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({ name: "asker", sideA: { prompt: "asker_rules" } });
`;
