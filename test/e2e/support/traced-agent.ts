// An agent whose runs have everything a trace shows: a model that fails and is retried, a fallback model with a cache
// and a price, and two calls side by side.

import type { ProjectCopy } from "./project-copy.ts";

/** The error message of the first model. */
export const tracedFailure = "The model is overloaded.";

/** Adds the agent `tracer` to a project. */
export function addTracedAgent(project: ProjectCopy): void {
  project.write(
    "agents/models/traced_flaky.ts",
    `import { defineModel } from "threadhold";

export default defineModel({
  name: "traced_flaky",
  provider: "test",
  model: "flaky",
  inputPrice: 1,
  outputPrice: 1,
  retry: { maxRetries: 1, initialDelayMs: 40 },
  fallbacks: ["traced_steady"],
  script: () => ({ error: { status: 503, message: "${tracedFailure}" } }),
});
`,
  );
  project.write(
    "agents/models/traced_steady.ts",
    `import { defineModel } from "threadhold";

export default defineModel({
  name: "traced_steady",
  provider: "test",
  model: "steady-1",
  inputPrice: 10,
  outputPrice: 100,
  cachedPrice: 1,
  cacheWritePrice: 20,
  script: ({ messages }) => {
    const usage = { input: 100, output: 20, cacheRead: 300, cacheWrite: 50 };
    if (messages.at(-1)?.role === "tool") return { text: "Both were measured.", delayMs: 5, usage };
    const call = (what: string) => ({ name: "measure", arguments: { what } });
    return { text: "I measure both.", toolCalls: [call("height"), call("width")], delayMs: 5, usage };
  },
});
`,
  );
  project.write(
    "agents/tools/measure.ts",
    `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Measures something", z.object({ what: z.string() }), async (_state, { what }, call) => {
  call?.progress("measuring " + what);
  await new Promise((resolve) => setTimeout(resolve, 120));
  return what === "width" ? { status: "error", error: "The tape was too short." } : { status: "success", result: "12 m" };
});
`,
  );
  project.write(
    "agents/prompts/traced_rules.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "traced_rules",
  toolDescription: "Measures things",
  model: "traced_flaky",
  includeChat: true,
  parallelToolCalls: true,
  tools: ["measure"],
  prompt: "Measure what you are told.",
});
`,
  );
  project.write(
    "agents/agents/tracer.ts",
    `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "tracer",
  description: "Measures things, with a model that fails",
  sideA: { label: "Tracer", prompt: "traced_rules", maxSteps: 5 },
});
`,
  );
}

/** Adds the agents `planner` and `reasoner` to a project, whose runs show what a strategy adds to a trace. */
export function addStrategyAgents(project: ProjectCopy): void {
  project.write(
    "agents/models/traced_strategist.ts",
    `import { defineModel } from "threadhold";

const step = (id: string, description: string, ...dependsOn: string[]) => ({ id, description, tool: null, dependsOn });

export default defineModel({
  name: "traced_strategist",
  provider: "test",
  model: "strategist",
  script: ({ lastUser }) => {
    if (lastUser.startsWith("Make a plan")) {
      const steps = [step("look", "Look at the sky."), step("answer", "Say what the weather is.", "look")];
      return { text: JSON.stringify({ steps }) };
    }
    if (lastUser.startsWith("Think about")) return { text: "The user wants the weather, and the window shows it." };
    return { text: lastUser.includes('"look"') ? "The sky is grey." : "It rains." };
  },
});
`,
  );
  project.write(
    "agents/prompts/traced_strategist.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "traced_strategist",
  toolDescription: "Answers",
  prompt: "You answer.",
  model: "traced_strategist",
});
`,
  );
  for (const [name, strategy] of [
    ["planner", "plan"],
    ["reasoner", "react"],
  ]) {
    project.write(
      `agents/agents/${name}.ts`,
      `import { defineAgent } from "threadhold";

export default defineAgent({ name: "${name}", strategy: "${strategy}", sideA: { prompt: "traced_strategist" } });
`,
    );
  }
}
