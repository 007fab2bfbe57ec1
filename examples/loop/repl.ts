// A conversation in a terminal: a line is a prompt, a line during an answer steers it. `/model <id>` changes the model, `/clear` empties the
// conversation, `/quit` ends the program.

import { createInterface } from "node:readline";

import { BasicAgent } from "threadhold/loop";

import { chosenModel } from "./chosen-model.ts";
import { printEvents } from "./print-events.ts";

const { config, provider } = chosenModel();
const agent = new BasicAgent(config).withSystemPrompt("You are brief.");
if (provider !== null) agent.withProviderOverride(provider);

console.log(`${agent.modelConfig.id}. Type a message, or /model <id>, /clear, /quit.`);
const lines = createInterface({ input: process.stdin });
let work = Promise.resolve();
for await (const line of lines) {
  const [command = "", id] = line.trim().split(" ");
  if (command === "") continue;
  if (command === "/quit") break;
  if (command === "/clear") {
    agent.reset();
    console.log("(cleared)");
  } else if (command === "/model") {
    if (id === undefined) console.log(`(${agent.modelConfig.id})`);
    else {
      agent.withModelConfig({ ...agent.modelConfig, id, name: id });
      console.log(`(${id})`);
    }
  } else {
    // Null: the message was added to the answer that is being made.
    const run = agent.send(line);
    if (run !== null) work = printEvents(run);
    // Input that is not typed is read faster than a model answers.
    if (process.stdin.isTTY !== true) await work;
  }
}
lines.close();
await work;
