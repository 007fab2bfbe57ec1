// An agent whose tools take longer than the server lives: one that must not run twice, and one that may.
import type { ProjectCopy } from "./project-copy.ts";

const tool = (options: string): string => `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Takes its time",
  z.object({ ms: z.number() }),
  async (_state, { ms }, call) => {
    await new Promise((resolve) => setTimeout(resolve, call?.attempt === 1 ? ms : 0));
    return { status: "success", result: \`Done at attempt \${call?.attempt}\` };
  },
  ${options},
);
`;

/** Adds `slow_assistant`: it calls the tool that the message names, and repeats the tool's result. */
export function addSlowTools(project: ProjectCopy): void {
  project.write("agents/tools/slow_payment.ts", tool("{}"));
  project.write("agents/tools/slow_lookup.ts", tool("{ idempotent: true }"));
  project.write(
    "agents/models/slow.ts",
    `import { defineModel } from "threadhold";

export default defineModel({
  name: "slow",
  provider: "test",
  model: "slow",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { text: \`The tool said: \${last.content}\` };
    return { toolCalls: [{ name: lastUser, arguments: { ms: 60_000 } }] };
  },
});
`,
  );
  project.write(
    "agents/prompts/use_slow_tools.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "use_slow_tools",
  toolDescription: "Uses slow tools",
  model: "slow",
  includeChat: true,
  tools: ["slow_payment", "slow_lookup"],
  prompt: "Use the tool you are told.",
});
`,
  );
  project.write(
    "agents/agents/slow_assistant.ts",
    `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "slow_assistant",
  description: "Uses slow tools",
  sideA: { label: "Assistant", prompt: "use_slow_tools", maxSteps: 5 },
});
`,
  );
}
