// Sends one question to two configs at the same time, and lets a judge select the better answer:
//   node examples/run.mjs loop/compare "Which city in Portugal should I visit in March?"

import { channel, textOfContent, userMessage } from "threadhold/loop";
import type { AgentLoopConfig } from "threadhold/loop";
import { agentLoopParallel, LlmJudgeEvaluation } from "threadhold/loop/agents";
import { MockProvider } from "threadhold/loop/providers";

import { chosenModel } from "./chosen-model.ts";

const { config: modelConfig, provider } = chosenModel();

/** The options of a loop. Without a key it answers with a scripted text. */
function config(scripted: string, more: Partial<AgentLoopConfig> = {}): AgentLoopConfig {
  return { modelConfig, ...(provider === null ? {} : { providerOverride: MockProvider.text(scripted) }), ...more };
}

const question = process.argv[2] ?? "Which city in Portugal should I visit in March?";
const configs = [
  config("Lisbon.", { configId: "quick" }),
  config("Faro: in March it is the warmest of them.", { configId: "thorough", thinkingLevel: "High" }),
];
const strategy = new LlmJudgeEvaluation({ judgeConfig: config("2", { configId: "judge" }) });
const { tx, rx } = channel();
const ended = agentLoopParallel(
  [userMessage(question)],
  { system_prompt: "You are brief.", messages: [], tools: [] },
  configs,
  strategy,
  tx,
).finally(() => tx.close());

for await (const event of rx)
  if (event.type === "AgentEnd")
    console.log(`[${event.loop_id.split(".").slice(1).join(".")}: ${event.usage.total_tokens} tokens]`);

const { selected_messages, selected_index, evaluation_error } = await ended;
if (evaluation_error !== null) console.log(`The judge selected no answer: ${evaluation_error}`);
const answer = selected_messages.findLast((message) => message.role === "assistant");
console.log(`${configs[selected_index]?.configId ?? ""}: ${answer === undefined ? "" : textOfContent(answer.content)}`);
