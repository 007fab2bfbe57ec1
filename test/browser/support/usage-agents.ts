// Agents whose models have a price, and one whose model has none.

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** Adds an agent with a model of its own that answers at once. */
function add(project: ProjectCopy, name: string, prices: string): void {
  project.write(
    `agents/models/${name}.ts`,
    `import { defineModel } from "threadhold";

export default defineModel({
  name: "${name}",
  provider: "test",
  model: "${name}",
  ${prices}
  script: () => ({ text: "Counted." }),
});
`,
  );
  project.write(
    `agents/prompts/${name}.ts`,
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "${name}",
  toolDescription: "Answers",
  model: "${name}",
  includeChat: true,
  prompt: "Answer.",
});
`,
  );
  project.write(
    `agents/agents/${name}.ts`,
    `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "${name}",
  description: "Answers, to be counted",
  type: "ai_human",
  sideA: { prompt: "${name}", stopOnResponse: true },
});
`,
  );
}

/** Adds the agents `priced` and `unpriced` to a project. */
export function addUsageAgents(project: ProjectCopy): void {
  add(project, "priced", "inputPrice: 900,\n  outputPrice: 4000,");
  add(project, "unpriced", "");
}
