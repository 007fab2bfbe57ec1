// Plays the reader of the strategy `plan`: the last user message of a request is the instruction of the strategy.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_reader",
  provider: "test",
  model: "demo_reader",
  inputPrice: 0,
  outputPrice: 0,
  script: (request) => {
    const step = /^Carry out the step "(\w+)"/.exec(request.lastUser)?.[1];
    return step === undefined ? plan(request) : carryOut(step, request);
  },
});

const topics = ["thread", "run", "event", "tool", "model"];

/** One step for each topic of the question, and one for the answer. */
function plan({ messages }: TestRequest): TestTurn {
  const question = messages.at(-2)?.content.toLowerCase() ?? "";
  const asked = topics.filter((topic) => question.includes(topic));
  const look = asked.map((id) => ({
    id,
    description: `Read what the handbook says about ${id}s.`,
    tool: "search_handbook",
    dependsOn: [],
  }));
  const answer = { id: "answer", description: "Explain what you have read.", tool: null, dependsOn: asked };
  return say(JSON.stringify({ steps: [...look, answer] }));
}

function carryOut(step: string, { messages }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (step !== "answer") {
    return last?.role === "tool"
      ? say(`I have read about ${step}s.`)
      : call("search_handbook", { question: `What is a ${step}?` });
  }
  const planned = messages.findLastIndex(({ content }) => content.startsWith("Make a plan"));
  const found = messages.slice(planned).filter(({ role }) => role === "tool");
  if (found.length === 0) return say(`I explain Threadhold. Name some of these: ${topics.join("s, ")}s.`);
  // The first sentence of each page.
  return say(found.map(({ content }) => /^[^:]+: (.+?\.)(\s|$)/.exec(content)?.[1] ?? content).join(" "));
}
