// Agents for the tests of the context: one whose model has a small window, so that a short conversation is compacted, and one with the same
// model that summarizes what it drops.

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** Tokens of the model's window. A request may have 80 % of it. */
export const smallWindow = 2000;
export const smallBudget = 1600;

/** Adds the agents `forgetful` and `summarizer` to a project. */
export function addContextAgents(project: ProjectCopy): void {
  project.write("agents/models/small_window.ts", model);
  project.write("agents/tools/read_list.ts", tool);
  for (const [name, context] of [
    ["forgetful", "{ keepRecent: 4 }"],
    ["summarizer", '{ keepRecent: 4, strategy: "summarize" }'],
  ] as const) {
    project.write(`agents/prompts/${name}.ts`, prompt(name, context));
    project.write(`agents/agents/${name}.ts`, agent(name));
  }
}

/** Initial messages of a thread, about 100 tokens each, of which the next request contains all. */
export const remembered = Array.from({ length: 10 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: `Remark ${String(at + 1)}. ${"It is about a lamp that was not turned off. ".repeat(9)}`,
}));

/** A message that makes the next request exceed its budget. */
export const longQuestion = `Question. ${"What does the lamp cost, and who pays for it? ".repeat(60)}`;

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "small_window",
  provider: "test",
  model: "small-window",
  contextWindow: ${String(smallWindow)},
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }) => {
    if (JSON.stringify(messages).includes("Summarize")) return { text: "A lamp was discussed." };
    if (messages.at(-1)?.role === "tool") return { text: "The list is long." };
    if (lastUser.startsWith("list")) return { toolCalls: [{ name: "read_list", arguments: {} }] };
    return { text: "It costs nothing.", usage: { input: 1200, output: 5, cacheRead: 34, cacheWrite: 0 } };
  },
});
`;

const tool = `import { defineTool } from "threadhold";

export default defineTool("Reads a long list", async () => ({
  status: "success",
  result: Array.from({ length: 60 }, (_, at) => "Entry " + at).join("\\n"),
}));
`;

const prompt = (name: string, context: string): string => `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "${name}",
  toolDescription: "Answers",
  model: "small_window",
  includeChat: true,
  tools: ["read_list"],
  context: ${context},
  prompt: "Answer about lamps.",
});
`;

const agent = (name: string): string => `import { defineAgent } from "threadhold";

export default defineAgent({ name: "${name}", description: "Answers about lamps", sideA: { label: "Lamp", prompt: "${name}" } });
`;
