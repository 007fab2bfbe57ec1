// The programs of UAP-1.0 §12.4.3 and §12.4.4: checkpoints as files, in Node.

import { agent, AgentState } from "threadhold/agents";
import { fileCheckpoints } from "threadhold/agents/checkpoint/node";

import { anthropic, Bash, Read, until, Write } from "./stand-ins.ts";

export async function fileStore(): Promise<unknown> {
  // Create checkpoint store
  const store = fileCheckpoints({ dir: "./checkpoints" });

  // Create agent with checkpointing
  const coder = agent({
    model: anthropic("claude-sonnet-5-5"),
    tools: [Bash, Read, Write],
    checkpoints: store, // Enable checkpointing
    sessionId: "my-session", // Optional: auto-generated if not provided
  });

  // Checkpoints are saved automatically at each step_end
  const { state } = await coder.generate("Fix the bug", AgentState.initial());

  await until(async () => (await store.load("my-session"))?.messages.length === state.messages.length);
  return [(await store.list()).includes("my-session"), state.metadata["sessionId"]];
}

/** §12.4.4: an agent continues from a checkpoint. */
export async function resume(): Promise<unknown> {
  // Resume from existing session
  const store = fileCheckpoints({ dir: "./checkpoints" });
  const coder = agent({ model: anthropic("claude-sonnet-5-5"), checkpoints: store, sessionId: "my-session" });
  const saved = await store.load("my-session");

  if (saved) {
    const restored = AgentState.fromJSON(saved);
    const { state } = await coder.generate("Continue", restored);
    return ["resumed", state.messages.length > restored.messages.length];
  } else {
    await coder.generate("Start fresh", AgentState.initial());
    return ["fresh"];
  }
}
