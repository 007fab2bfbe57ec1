// The package entries of UAP: their names, which are those of the document and no name of UPP.

import { expect, it } from "vitest";

import * as checkpoint from "#facade/uap/checkpoint/index.ts";
import * as nodeCheckpoint from "#facade/uap/checkpoint/node/index.ts";
import * as agents from "#facade/uap/index.ts";
import * as middleware from "#facade/uap/middleware/index.ts";
import * as execution from "#facade/uap/strategy/index.ts";
import * as threadTree from "#facade/uap/thread-tree.ts";
import * as upp from "#facade/upp/index.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";

import { scriptedAgent } from "./support/scripted-agent.ts";

const entries = { agents, execution, middleware, checkpoint, nodeCheckpoint, threadTree };
const namesOf = (entry: object): string[] => Object.keys(entry).toSorted();

it("The entries for agents, strategies, middleware, checkpoints and thread trees export exactly the names of UAP's document and its helpers, and the entry for Node exports fileCheckpoints", () => {
  expect(namesOf(agents)).toEqual(["AgentState", "ThreadNode", "ThreadTree", "agent", "partialState", "subagentTool"]);
  expect(namesOf(execution)).toEqual(["loop", "plan", "react"]);
  expect(namesOf(middleware)).toEqual(["logging"]);
  expect(namesOf(checkpoint)).toEqual(["memoryCheckpoints", "threadCheckpoints"]);
  expect(namesOf(threadTree)).toEqual(["ThreadNode", "ThreadTree"]);
  expect(namesOf(nodeCheckpoint)).toEqual(["fileCheckpoints"]);
});

it("No entry of UAP exports a name of UPP", () => {
  const names = new Set(Object.values(entries).flatMap(namesOf));
  expect(namesOf(upp).filter((name) => names.has(name))).toEqual([]);
});

it("The messages of an execution are objects of UPP's classes, and the input is the same object", async () => {
  const input = new UserMessage("Hello");
  const { turn, state } = await scriptedAgent([{ text: "Yes." }]).generate(input, agents.AgentState.initial());
  expect(turn.messages[0]).toBe(input);
  expect(state.messages[0]).toBe(input);
  expect(turn.response).toBeInstanceOf(upp.AssistantMessage);
  expect(turn.response).toBe(state.messages[1]);
});
