// An agent whose remote tool has little time: the call ends by itself if no person answers it.

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** Adds the agent `courier` to a project. */
export function addCourierAgent(project: ProjectCopy): void {
  project.write("agents/models/courier.ts", model);
  project.write("agents/tools/call_courier.ts", tool);
  project.write("agents/prompts/courier_rules.ts", prompt);
  project.write("agents/agents/courier.ts", agent);
}

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "courier",
  provider: "test",
  model: "courier",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "The courier was called." }
      : { toolCalls: [{ name: "call_courier", arguments: { route: "over the bridge, ".repeat(60) } }] },
});
`;

const tool = `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Calls the courier", z.object({ route: z.string() }), undefined, { deadlineMs: 8_000 });
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "courier_rules",
  toolDescription: "Calls the courier",
  model: "courier",
  includeChat: true,
  tools: ["call_courier"],
  prompt: "Call the courier.",
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({ name: "courier", title: "Courier", sideA: { prompt: "courier_rules" } });
`;
