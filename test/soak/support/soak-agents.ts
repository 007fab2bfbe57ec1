// The agent of the suite: the scripted model under the provider `openai`, and three tools that change an external
// server (`effect-desk.ts`).

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** The agent's name. */
export const soakAgent = "soak_assistant";

const tool = (url: string, name: string, options: string): string => `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Changes the world",
  z.object({ mark: z.string(), call: z.string() }),
  async (_state, args, call) => {
    const body = JSON.stringify({ ...args, key: call?.id ?? "none" });
    const answer = await fetch("${url}/${name}", { method: "POST", body });
    return { status: "success", result: await answer.text() };
  },
  ${options},
);
`;

const reconcile = (url: string): string => `{
    reconcile: async (callId, { mark }) => {
      const query = new URLSearchParams({ key: callId, mark: String(mark) });
      const answer = await fetch(\`${url}/ship?\${query}\`);
      const text = await answer.text();
      return answer.status === 200 ? { status: "success", result: text } : "not_done";
    },
  }`;

/** Adds the agent to a project; its tools send requests to `effects`. */
export function addSoakAgent(project: Pick<ProjectCopy, "write">, effects: string): void {
  project.write("agents/tools/pay.ts", tool(effects, "pay", "{}"));
  project.write("agents/tools/book.ts", tool(effects, "book", "{ idempotent: true }"));
  project.write("agents/tools/ship.ts", tool(effects, "ship", reconcile(effects)));
  project.write(
    "agents/models/soak_model.ts",
    `import { defineModel } from "threadhold";

export default defineModel({
  name: "soak_model",
  provider: "openai",
  model: "scripted",
  inputPrice: 1,
  outputPrice: 1,
  contextWindow: 1_000_000,
  capabilities: { functionCalling: true },
});
`,
  );
  project.write(
    "agents/prompts/soak_prompt.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "soak_prompt",
  toolDescription: "Lives through kills",
  model: "soak_model",
  includeChat: true,
  parallelToolCalls: true,
  tools: ["pay", "book", "ship", "helper"],
  prompt: "Do as the script says.",
});
`,
  );
  project.write(
    "agents/prompts/soak_helper.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "soak_helper",
  toolDescription: "Helps",
  model: "soak_model",
  includeChat: true,
  prompt: "Do as the script says.",
});
`,
  );
  project.write(
    "agents/agents/helper.ts",
    `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "helper",
  toolDescription: "Answers in a thread of its own",
  type: "dual_ai",
  maxSessionTurns: 1,
  sideA: { label: "First", prompt: "soak_helper" },
  sideB: { label: "Second", prompt: "soak_helper" },
});
`,
  );
  project.write(
    "agents/agents/soak_assistant.ts",
    `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "soak_assistant",
  description: "Lives through kills",
  sideA: { label: "Assistant", prompt: "soak_prompt", maxSteps: 20 },
});
`,
  );
}

/** The Worker's variables that direct model requests to `url`. */
export function soakVariables(url: string): Record<string, string> {
  return { OPENAI_API_KEY: "key-of-the-soak-suite", OPENAI_BASE_URL: `${url}/v1` };
}
