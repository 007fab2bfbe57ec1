// Agents for the tests of structured answers and of strategies of a project: one whose prompt has a structure with a title, and one whose
// strategy writes a draft that is not shown before its answer.

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** Adds the agents `order_desk` and `drafter` to a project. */
export function addAnswerAgents(project: ProjectCopy): void {
  project.write("agents/models/order_model.ts", model);
  project.write("agents/models/listed_model.ts", listed);
  project.write("agents/prompts/order_desk.ts", prompt);
  project.write("agents/prompts/drafter.ts", plain);
  project.write("agents/strategies/draft_first.ts", strategy);
  project.write("agents/agents/order_desk.ts", agent("order_desk", ""));
  project.write("agents/agents/drafter.ts", agent("drafter", ', strategy: "draft_first"'));
}

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "order_model",
  provider: "test",
  model: "order",
  contextWindow: 32_000,
  outputLimit: 4_000,
  capabilities: { structuredOutputs: true },
  script: ({ lastUser }) => {
    if (lastUser.startsWith("Improve")) return { text: "Two lamps were ordered today." };
    if (lastUser.startsWith("Who")) return { text: JSON.stringify({ customer: "Ada" }) };
    if (lastUser.startsWith("Draft")) return { text: "Lamps." };
    return { text: JSON.stringify({ item: "lamp", express: true }) };
  },
});
`;

// A model whose token limits are in the tables of the project.
const listed = `import { defineModel } from "threadhold";

export default defineModel({ name: "listed_model", provider: "anthropic", model: "claude-opus-4-8" });
`;

const prompt = `import { definePrompt } from "threadhold";
import { z } from "zod";

export default definePrompt({
  name: "order_desk",
  toolDescription: "Reads an order",
  prompt: "Read the order.",
  model: "order_model",
  structure: z
    .object({ item: z.string().describe("The name of the article"), count: z.number().default(1), express: z.boolean() })
    .meta({ title: "Order of a customer" }),
});
`;

const plain = `import { definePrompt } from "threadhold";

export default definePrompt({ name: "drafter", toolDescription: "Writes", prompt: "Write.", model: "order_model", includeChat: true });
`;

const strategy = `import { defineStrategy } from "threadhold";

export default defineStrategy<"draft_first", { improved: boolean }>({
  name: "draft_first",
  description: "Writes a draft that is not shown, then improves it.",
  next: ({ last, state }) => {
    if (last === null) return { type: "step", phase: "draft", silent: true, state: { improved: false } };
    if (state?.improved === true) return { type: "end" };
    return { type: "step", phase: "improve", tools: [], instruction: "Improve your draft.", state: { improved: true } };
  },
});
`;

const agent = (name: string, more: string): string => `import { defineAgent } from "threadhold";

export default defineAgent({ name: "${name}", sideA: { prompt: "${name}"${more} } });
`;
