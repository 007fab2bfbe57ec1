// Agents whose answers a test streams piece by piece. What a page shows in the middle of such an answer depends on the
// test alone, not on the machine's speed. The agents' model is a provider on the loopback, in the test's process.

import { PassThrough } from "node:stream";

import type { Locator } from "playwright-core";

import type { ProjectCopy } from "../../e2e/support/project-copy.ts";
import { openScriptedProvider, textOf } from "../../e2e/support/scripted-provider.ts";

/** An answer that the model gives to one message. */
export interface PacedAnswer {
  /** The message. */
  question: string;
  /** Streams a piece. */
  write: (piece: string) => void;
  /** Streams the words with the numbers `from` to `to`, as in "word0 word1 word2", each as a piece. */
  writeText: (from: number, to: number) => void;
  end: () => void;
  /** Lets the first request fail, so that it is made again. */
  refuse: () => void;
}

/** The running provider. */
export interface PacedModel {
  /** Arguments of the dev command: the provider's key and address. */
  variables: string[];
  /** Prepares an answer to a message that no other answer is given to. All other messages are answered at once. */
  answer: () => PacedAnswer;
  close: () => Promise<void>;
}

/**
 * Adds the agents `paced`, `paced_planner` and `paced_reasoner` to a project, and starts the provider of their model. The reasoning, the
 * plan and the answer to its first step are given at once. The answer to the plan's last step, and the one after the reasoning, is the
 * prepared one.
 */
export async function addPacedAgent(project: ProjectCopy): Promise<PacedModel> {
  project.write("agents/models/paced.ts", model);
  for (const id of ["tried", "slow"]) project.write(`agents/models/${id}.ts`, model.replaceAll('"paced"', `"${id}"`));
  project.write("agents/prompts/paced_rules.ts", prompt);
  project.write("agents/agents/paced.ts", agent("paced", ""));
  project.write("agents/agents/paced_planner.ts", agent("paced_planner", 'strategy: "plan", '));
  project.write("agents/agents/paced_reasoner.ts", agent("paced_reasoner", 'strategy: "react", '));
  const answers = new Map<string, PassThrough>();
  const refused = new Set<string>();
  const provider = await openScriptedProvider(({ body: { messages, tools = [], model: id } }) => {
    // The trials of a model. The last question of `slow` is answered by the test.
    if (id === "tried" && tools.length > 0) return { calls: [{ name: "get_weather", args: { city: "Paris" } }] };
    if (id === "tried") return { text: JSON.stringify(messages).includes("image_url") ? "Blue." : "OK" };
    if (id === "slow") return { text: new PassThrough({ encoding: "utf8", objectMode: true }) };
    const requested = messages.filter(({ role }) => role === "user").map(textOf);
    const last = requested.at(-1) ?? "";
    const quick = quickAnswer(last);
    if (quick !== null) return { text: quick };
    // A strategy's instructions follow the question.
    const question = strategyPrompt.test(last) ? requested.findLast((text) => answers.has(text)) : last;
    if (question !== undefined && refused.delete(question)) return { status: 503 };
    return { text: answers.get(question ?? "") ?? "It went well." };
  });
  return {
    variables: ["--var", "OPENAI_API_KEY:none", "--var", `OPENAI_BASE_URL:${provider.url}/v1`],
    answer() {
      const question = `Question ${String(answers.size + 1)}`;
      const pieces = new PassThrough({ encoding: "utf8", objectMode: true });
      answers.set(question, pieces);
      return {
        question,
        write: (piece) => void pieces.write(piece),
        writeText(from, to) {
          for (let word = from; word <= to; word += 1) pieces.write(`${word === 0 ? "" : " "}word${String(word)}`);
        },
        end: () => void pieces.end(),
        refuse: () => void refused.add(question),
      };
    },
    close: provider.close,
  };
}

/**
 * Reloads a page in the middle of an answer that has the words 0 to 9, and waits until `text` shows them again. A word is
 * streamed at each request and each socket of the new document, so that words arrive before, during and after its first
 * reading of the thread. Returns the number of the next word.
 */
export async function reloadDuring(answer: PacedAnswer, text: Locator): Promise<number> {
  const page = text.page();
  let next = 10;
  const write = (): void => {
    answer.writeText(next, next);
    next += 1;
  };
  page.on("request", write).on("websocket", write);
  await page.reload();
  await text.getByText("word9").waitFor();
  page.off("request", write).off("websocket", write);
  return next;
}

/** The plan of `paced_planner`, and the reasoning of `paced_reasoner`. */
export const pacedPlan = ["Look at the sky.", "State the weather."];
export const pacedReasoning = "The user wants the weather, and the window shows it.";

const strategyPrompt = /^(Carry out the step|Based on your reasoning)/;

/** The answer to an instruction of a strategy that is given at once; null for any other message. */
function quickAnswer(requested: string): string | null {
  if (requested.startsWith("Think about")) return pacedReasoning;
  if (requested.startsWith('Carry out the step "1"')) return "The sky is grey.";
  if (!requested.startsWith("Make a plan")) return null;
  const steps = pacedPlan.map((description, at) => {
    return { id: String(at + 1), description, tool: null, dependsOn: at === 0 ? [] : [String(at)] };
  });
  return JSON.stringify({ steps });
}

const model = `import { defineModel } from "threadhold";

export default defineModel({
  name: "paced",
  provider: "openai",
  model: "paced",
  inputPrice: 0,
  outputPrice: 0,
  retry: { maxRetries: 2, initialDelayMs: 300 },
});
`;

const prompt = `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "paced_rules",
  toolDescription: "Answers",
  model: "paced",
  includeChat: true,
  prompt: "Answer.",
});
`;

const agent = (name: string, strategy: string): string => `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "${name}",
  description: "Answers piece by piece",
  ${strategy}sideA: { label: "Paced", prompt: "paced_rules", maxSteps: 5 },
});
`;
