// The programs of UAP-1.0 §11: streams.

import { agent as createAgent, AgentState } from "threadhold/agents";
import { react } from "threadhold/agents/execution";

import { anthropic, print, Read } from "./stand-ins.ts";

const agent = createAgent({
  model: anthropic("claude-sonnet-5-5"),
  execution: react(),
  tools: [Read],
});

/** §11.3: the events of the agent and those of its model requests. */
export async function events(): Promise<unknown> {
  const state = AgentState.initial();
  let written = "";
  const steps: number[] = [];
  const stream = agent.stream("Implement a feature", state);

  for await (const event of stream) {
    if (event.source === "uap") {
      // UAP step-level events
      if (event.uap.type === "step_start") {
        print(`Step ${event.uap.step}`);
        steps.push(event.uap.step);
      }
    } else {
      // UPP LLM events
      if (event.upp.type === "text_delta") {
        written += event.upp.delta.text ?? "";
      }
    }
  }

  const { turn, state: newState } = await stream.result;

  return [steps, written.endsWith(turn.response.text), newState.step];
}

/** §11.4: the state of a stream is equal to that of `generate`. */
export async function completeness(): Promise<unknown> {
  const input = "Read the file";
  const state = AgentState.initial();

  // These must produce equivalent final states:
  const { state: s1 } = await agent.generate(input, state);

  const stream = agent.stream(input, state);
  for await (const _event of stream) {
    /* consume */
  }
  const { state: s2 } = await stream.result;

  // s1 and s2 are structurally equivalent (different IDs, same content)
  return [s1.messages.length === s2.messages.length, s1.step === s2.step];
}
