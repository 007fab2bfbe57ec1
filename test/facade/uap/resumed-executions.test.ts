// Executions that continue from a checkpoint, in the way a program does it after a crash.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import type { CheckpointStore } from "#facade/uap/checkpoint-store.ts";
import { memoryCheckpoints } from "#facade/uap/checkpoint/memory-checkpoints.ts";
import { fileCheckpoints } from "#facade/uap/checkpoint/node/file-checkpoints.ts";

import { add, call, outline, rejection } from "../support/scripted-llm.ts";
import { withFolder } from "./support/checkpoint-folder.ts";
import { recordedScript, scriptedAgent } from "./support/scripted-agent.ts";

it.each<[string, (dir: string) => CheckpointStore]>([
  ["a checkpoint in memory", () => memoryCheckpoints()],
  ["a compressed file", (dir) => fileCheckpoints({ dir, compress: true })],
])(
  "An agent that continues from %s sends the same requests as from the live state, with the same session",
  async (_name, storeIn) =>
    withFolder(async (dir) => {
      const checkpoints = storeIn(dir);
      let live = AgentState.initial();
      const interrupted = scriptedAgent(
        [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { error: { status: 500, message: "Down." } }],
        {
          tools: [add],
          checkpoints,
          sessionId: "crashed",
          strategy: { onStepEnd: (_step, { state }) => (live = state) },
        },
      );
      await rejection(interrupted.generate("Add.", live));
      const saved = AgentState.fromJSON(await checkpoints.load("crashed"));
      expect(outline(saved.messages)).toEqual(["user: Add.", 'assistant: [add {"a":1,"b":2}]', "results: 3"]);
      const continued = async (state: AgentState) => {
        const { script, requests } = recordedScript([{ toolCalls: [call("add", { a: 3, b: 3 })] }, { text: "Six." }]);
        const result = await scriptedAgent(script, { tools: [add], checkpoints }).generate("Continue.", state);
        return { requests, messages: outline(result.state.messages), session: result.state.metadata["sessionId"] };
      };
      const resumed = await continued(saved);
      expect(resumed).toEqual(await continued(live));
      expect(resumed.session).toBe("crashed");
      expect(resumed.requests.at(-1)).toHaveLength(6);
      expect((await checkpoints.load("crashed"))?.step).toBe(2);
    }),
);
