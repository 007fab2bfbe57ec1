// The program of UAP-1.0, appendix A.2: explicit state.

import { agent as createAgent, AgentState } from "threadhold/agents";

import { anthropic } from "./stand-ins.ts";

const agent = createAgent({ model: anthropic("claude-sonnet-5-5") });

export async function explicitState(): Promise<unknown> {
  // Current (explicit state)
  const s0 = AgentState.initial();
  const { turn: t1, state: s1 } = await agent.generate("Hello", s0);
  const { turn: t2, state: s2 } = await agent.generate("Continue", s1);

  return [t1.response.text, t2.response.text, s2.messages.length];
}
