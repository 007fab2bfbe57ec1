// A pipeline of agents: a researcher collects facts with a sub-agent, a writer makes an article of them, and an editor shortens it.
//   node examples/run.mjs loop/pipeline "the bridges of Lisbon"

import { BasicAgent, textOfContent } from "threadhold/loop";
import type { AgentMessage } from "threadhold/loop";
import { SubAgentTool } from "threadhold/loop/agents";
import { MockProvider } from "threadhold/loop/providers";
import type { MockResponse } from "threadhold/loop/providers";

import { chosenModel } from "./chosen-model.ts";
import { printEvent, printEvents } from "./print-events.ts";

const { config, provider } = chosenModel();

/** Without a key, the answers of an agent: each is made of the last message that the agent reads. */
function scripted(...answers: ((text: string) => MockResponse)[]): MockProvider {
  return new MockProvider(
    answers.map(
      (answer) =>
        ({ messages }) =>
          answer(textOf(messages.at(-1))),
    ),
  );
}

function agentOf(systemPrompt: string, answers: MockProvider): BasicAgent {
  const agent = new BasicAgent(config).withSystemPrompt(systemPrompt).withExecutionLimits({ max_turns: 5 });
  return provider === null ? agent : agent.withProviderOverride(answers);
}

const lookUp = new SubAgentTool("look_up", config)
  .withDescription("Answers one question about a topic.")
  .withSystemPrompt("You answer the question in two sentences.")
  .onEvent(printEvent);
if (provider !== null) lookUp.withProviderOverride(scripted((task) => `Answer to "${task}".`));

const stages = {
  researcher: agentOf(
    "You list the facts that an article about the topic needs. Ask `look_up` for them. Write no article.",
    scripted(
      (topic) => ({ tool_calls: [{ name: "look_up", arguments: { task: `What is known about ${topic}?` } }] }),
      (result) => `Facts: ${result}`,
    ),
  ).withSubAgent(lookUp),
  writer: agentOf(
    "You write a short article that contains the given facts and no others.",
    scripted((facts) => `An article. ${facts}`),
  ),
  editor: agentOf(
    "You shorten the given article to two sentences.",
    scripted((article) => article.toUpperCase()),
  ),
};

process.on("SIGINT", () => {
  for (const agent of Object.values(stages)) agent.abort();
});

let text = process.argv[2] ?? "the bridges of Lisbon";
for (const [name, agent] of Object.entries(stages)) {
  console.log(`[${name}]`);
  await printEvents(agent.prompt(text));
  const answer = agent.messages.at(-1);
  // The next agent works on a whole answer only: not on a part, and not on the message of a limit.
  if (answer?.role !== "assistant" || answer.stop_reason !== "stop") {
    console.error(`The pipeline ends here, because the ${name} has no whole answer.`);
    process.exitCode = 1;
    break;
  }
  text = textOf(answer);
}

function textOf(message: AgentMessage | undefined): string {
  return message === undefined || message.role === "extension" ? "" : textOfContent(message.content);
}
