// The programs of UAP-1.0 §4: the agent's functions.

import { agent, AgentState } from "threadhold/agents";

import { anthropic, Bash, print, Read, Write } from "./stand-ins.ts";

const coder = agent({
  model: anthropic("claude-sonnet-5-5"),
  tools: [Bash, Read, Write],
  system: "You are a coding assistant.",
});

/** §4.4: `generate` with the state of the last call. */
export async function generate(): Promise<unknown> {
  // Initialize state
  const state0 = AgentState.initial();

  // First generation
  const { turn: turn1, state: state1 } = await coder.generate("Create a hello world program", state0);
  print(turn1.response.text);

  // Second generation with updated state
  const { turn: turn2, state: state2 } = await coder.generate("Add error handling", state1);

  return [turn2.response.text, state2.messages.length === turn1.messages.length + turn2.messages.length];
}

/** §4.5: a stream, its events and its result. */
export async function stream(): Promise<unknown> {
  const state0 = AgentState.initial();
  const sources = new Set<string>();
  const stream = coder.stream("Implement a feature", state0);

  for await (const event of stream) {
    // Process events
    sources.add(event.source);
  }

  const { turn, state: newState } = await stream.result;

  return [[...sources].toSorted(), newState.messages.length === turn.messages.length];
}

/** §4.6: `ask` returns a state with the whole conversation. */
export async function ask(): Promise<unknown> {
  const agent = coder;
  const state0 = AgentState.initial();

  // ask() automatically manages conversation history
  const { turn: t1, state: s1 } = await agent.ask("My name is Alice", state0);
  const { turn: t2, state: s2 } = await agent.ask("What is my name?", s1);
  // t2.response.text contains "Alice" - context preserved

  return [t1.cycles > 0, t2.response.text.includes("Alice"), new Set(s2.messages).size === s2.messages.length];
}

/** §4.7: `query` begins with an empty state. */
export async function query(): Promise<unknown> {
  const agent = coder;
  // No state management needed
  const turn = await agent.query("What is 2 + 2?");
  print(turn.response.text); // "4"

  // State is not preserved - each query is independent
  const turn2 = await agent.query("What did I just ask?");
  // turn2 has no context from turn1

  return [turn.response.text, turn2.messages[0]?.type];
}
