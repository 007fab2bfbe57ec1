// An agent with a tool of each kind (local, streaming, remote), whose scripted model calls them all at once. The model
// also serves sessions that define tools of their own.

import type { ProjectCopy } from "./project-copy.ts";

/** Adds the agent and its tools to a project. */
export function addSessionAgents(project: ProjectCopy): void {
  project.write("agents/models/session_model.ts", model);
  project.write("agents/tools/session_local.ts", local);
  project.write("agents/tools/session_streaming.ts", streaming);
  project.write("agents/tools/session_remote.ts", remote);
  project.write("agents/prompts/session_every_way.ts", prompt);
  project.write("agents/agents/session_every_way.ts", agent);
}

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "session_model",
  provider: "test",
  model: "session_model",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, tools, lastUser }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") {
      const results = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
      const received = results.filter(({ role }) => role === "tool").map(({ content }) => content);
      return { text: ["So it is ", received.join(" and "), "."] };
    }
    const mine = tools.map(({ name }) => name);
    if (mine.length === 0 || !lastUser.includes("?")) return { thinking: "Easy.", text: ["You said: ", lastUser] };
    return {
      thinking: "I do not know.",
      text: "I ask.",
      toolCalls: mine.map((name) => ({ name, arguments: { query: lastUser } })),
    };
  },
});
`;

const local = `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Looks something up here", z.object({ query: z.string() }), async (_state, { query }) => {
  return { status: "success", result: "local " + query };
});
`;

const streaming = `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Looks something up bit by bit", z.object({ query: z.string() }), async function* (_state, { query }) {
  yield { type: "delta", delta: "Searching for: " };
  yield { type: "delta", delta: query };
  yield { type: "complete", output: "streamed " + query, details: { resultCount: 10 } };
});
`;

const remote = `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Asks the client", z.object({ query: z.string() }));
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "session_every_way",
  toolDescription: "Asks every tool",
  model: "session_model",
  includeChat: true,
  includePastTools: true,
  parallelToolCalls: true,
  tools: ["session_local", "session_streaming", "session_remote"],
  prompt: "Ask every tool.",
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({ name: "session_every_way", sideA: { prompt: "session_every_way" } });
`;
