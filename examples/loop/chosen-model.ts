// The model of the examples: Claude with a key in the environment, else a scripted provider, so that no key is needed.

import { ModelConfig } from "threadhold/loop";
import type { StreamProvider } from "threadhold/loop";
import { MockProvider } from "threadhold/loop/providers";

/** The config of the model, and a provider in place of its own; null for its own. */
export function chosenModel(): { config: ModelConfig; provider: StreamProvider | null } {
  const config = ModelConfig.anthropic("claude-sonnet-5-5", "Claude");
  const { ANTHROPIC_API_KEY: key = "" } = process.env;
  return { config, provider: key === "" ? scripted() : null };
}

/** Answers with the model and the number of messages; writes a file if it has the tool for it. */
function scripted(): StreamProvider {
  return new MockProvider(
    Array.from({ length: 1000 }, () => ({ messages, tools, model_config }) => {
      const last = messages.at(-1);
      const canWrite = tools.some(({ name }) => name === "write_file");
      if (canWrite && last?.role === "user")
        return {
          text: "I write the file.",
          tool_calls: [{ name: "write_file", arguments: { path: "/notes.txt", content: "Written by a loop.\n" } }],
        };
      return { text: ["This is ", model_config.id, `. You sent ${messages.length} messages.`] };
    }),
  );
}
