// A coding assistant on a folder of this machine: node examples/run.mjs loop/coder <folder> "<task>".

import { BasicAgent, convertTool } from "threadhold/loop";
import { hostCodingTools } from "threadhold/tools/node";

import { chosenModel } from "./chosen-model.ts";
import { printEvents } from "./print-events.ts";

const [root = ".", task = "Write a file notes.txt."] = process.argv.slice(2);
const { config, provider } = chosenModel();
const agent = new BasicAgent(config)
  .withSystemPrompt("You work on the files of this project. Read a file before you change it.")
  // bash runs as the user of this process. Without the option, the assistant has the five tools for files alone.
  .withTools(hostCodingTools({ root, bash: { timeoutMs: 60_000 } }).map(convertTool))
  .withExecutionLimits({ max_turns: 30, max_duration: { secs: 600 } })
  .onBeforeTurn((_messages, turnIndex) => turnIndex < 30);
if (provider !== null) agent.withProviderOverride(provider);

process.on("SIGINT", () => agent.abort());
await printEvents(agent.prompt(task));
