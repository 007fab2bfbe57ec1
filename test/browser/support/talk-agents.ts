// An agent for the tests of the conversation. The message decides what its model does: fail and be retried, fall back
// to another model, fail for good, call a tool that reports its progress, call one or two prompts, or place orders.

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";

/** Adds the agent `moody` to a project. */
export function addTalkAgents(project: ProjectCopy): void {
  project.write("agents/models/moody.ts", model);
  project.write("agents/models/moody_spare.ts", spare);
  project.write("agents/tools/patient_count.ts", tool);
  project.write("agents/tools/write_plan.ts", writer);
  project.write("agents/tools/ask_guest.ts", remote);
  project.write("agents/tools/pay_out.ts", payment);
  project.write("agents/prompts/moody_rules.ts", prompt);
  project.write("agents/prompts/clerk.ts", clerk);
  project.write("agents/prompts/scribe_rules.ts", scribe);
  project.write("agents/hooks/mask_cards.ts", maskCards);
  project.write("agents/hooks/withhold.ts", withhold);
  project.write("agents/filters/no_pins.ts", noPins);
  project.write("agents/agents/moody.ts", agent);
  project.write("agents/agents/committee.ts", committee);
}

// The model records the messages that it received, so that it fails at the first attempt only. Each test sends a
// message of its own.
const model = `import { defineModel } from "threadhold";

const asked = new Set();

export default defineModel({
  name: "moody",
  provider: "test",
  model: "moody",
  inputPrice: 0,
  outputPrice: 0,
  fallbacks: ["moody_spare"],
  retry: { maxRetries: 2, initialDelayMs: 300 },
  script: ({ messages, lastUser }) => {
    if (messages.at(-1)?.role === "tool" && lastUser.startsWith("write a plan"))
      return { text: "The plan is in /plan/day 1.md, no: in \`/plan/day-1.md\` and /plan/day-2.md. Nothing is in /plan/none.md." };
    if (messages.at(-1)?.role === "tool") return { text: "Counted." };
    if (lastUser.startsWith("count")) return { toolCalls: [{ name: "patient_count", arguments: { to: 2 } }] };
    if (lastUser.startsWith("write a plan")) return { toolCalls: [{ name: "write_plan", arguments: {} }] };
    if (lastUser.startsWith("let one help")) return { toolCalls: [{ name: "clerk", arguments: { task: "count for me" } }] };
    if (lastUser.startsWith("let two help")) return { toolCalls: [{ name: "committee", arguments: { task: "count for us" } }] };
    if (lastUser.startsWith("ask the guest")) return { toolCalls: [{ name: "ask_guest", arguments: { what: lastUser } }] };
    if (lastUser.startsWith("let two order")) return { toolCalls: [{ name: "committee", arguments: { task: "order much" } }] };
    if (lastUser.startsWith("order much"))
      return { toolCalls: [{ name: "place_order", arguments: { item: "a kettle " + "and a cup ".repeat(900), price: 900 } }] };
    const again = asked.has(lastUser);
    asked.add(lastUser);
    if (lastUser.startsWith("retry") && !again)
      return { text: ["Half of ", "an answer"], error: { status: 503, message: "The provider is overloaded." } };
    if (lastUser.startsWith("trip")) return again ? { text: "Back on its feet." } : { text: "Half", error: { status: 401, message: "No key fits.", kind: "auth" } };
    if (lastUser.startsWith("hand on") || lastUser.startsWith("fail"))
      return { text: "Wrong", error: { status: 401, message: "The key is not accepted.", kind: "auth" } };
    return { text: "It went well." };
  },
});
`;

const spare = `import { defineModel } from "threadhold";

export default defineModel({
  name: "moody_spare",
  provider: "test",
  model: "moody_spare",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ lastUser }) =>
    lastUser.startsWith("fail") || lastUser.startsWith("trip")
      ? { error: { status: 401, message: "No key fits.", kind: "auth" } }
      : { text: "The spare one answers." },
});
`;

// The tool waits at each number until the thread has a file of that name, so a test decides how long each state lasts.
const tool = `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Counts when it may", z.object({ to: z.number() }), async function* (state, { to }) {
  state.emit("counting", { to });
  for (let number = 1; number <= to; number += 1) {
    yield { type: "progress", data: { counted: number, of: to } };
    yield { type: "delta", delta: "counted " + number + "\\n" };
    while ((await state.statFile("/go/" + number)) === null) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  yield { type: "complete", output: "All " + to };
});
`;

const writer = `import { defineTool } from "threadhold";

export default defineTool("Writes a plan", async (state) => {
  await state.writeFile("/plan/day-1.md", "# Day 1", "text/markdown");
  await state.writeFile("/plan/day-2.md", "# Day 2", "text/markdown");
  return { status: "success", result: JSON.stringify({ days: ["one", "two"] }) };
});
`;

const remote = `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Asks the guest", z.object({ what: z.string() }), undefined, {
  resultSchema: z.object({
    room: z.enum(["single", "double"]).describe("Which room"),
    nights: z.number().int().min(1).describe("How many nights"),
    breakfast: z.boolean().optional(),
  }),
});
`;

const payment = `import { defineTool } from "threadhold";

export default defineTool("Pay out.", null, async () => ({ status: "success" }), { needsApproval: true });
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "moody_rules",
  toolDescription: "Does what it is told",
  model: "moody",
  includeChat: true,
  tools: ["patient_count", "write_plan", "place_order", "ask_guest", { name: "clerk", initUserMessageProperty: "task" }, "committee"],
  prompt: "Do what you are told.",
});
`;

const maskCards = `import { defineHook } from "threadhold";

export default defineHook("before_create_message", async (_state, message) => ({
  ...message,
  content: typeof message.content === "string" ? message.content.replace(/\\b\\d{16}\\b/g, "[card]") : message.content,
}));
`;

// A hook that receives a message after it is stored may still change it.
const withhold = `import { defineHook } from "threadhold";

export default defineHook("after_create_message", async (state, message) => {
  if (String(message.content).startsWith("whisper")) await state.updateMessage(String(message.id), { content: "[withheld]" });
});
`;

const noPins = `import { defineFilter } from "threadhold";

export default defineFilter((text) =>
  text.startsWith("my pin") ? { action: "reject", reason: "Please send no PIN." } : { action: "pass" },
);
`;

const clerk = `import { definePrompt } from "threadhold";
import { z } from "zod";

export default definePrompt({
  name: "clerk",
  toolDescription: "Helps",
  model: "moody",
  requiredSchema: z.object({ task: z.string() }),
  tools: ["patient_count"],
  prompt: "Help.",
});
`;

const scribe = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "scribe_rules",
  toolDescription: "Says how it went",
  model: "moody",
  includeChat: true,
  prompt: "Say how it went.",
});
`;

// One side counts, the other side confirms.
const committee = `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "committee",
  title: "The committee",
  description: "Two who count",
  toolDescription: "Has two count",
  type: "dual_ai",
  maxSessionTurns: 2,
  sideA: { label: "Chair", prompt: "moody_rules", maxSteps: 3 },
  sideB: { label: "Scribe", prompt: "scribe_rules", maxSteps: 3 },
});
`;

const agent = `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "moody",
  description: "Does what it is told",
  starters: ["It is fine", "count to two"],
  sideA: { label: "Moody", prompt: "moody_rules", maxSteps: 5 },
});
`;
