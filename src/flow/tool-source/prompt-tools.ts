// The project's prompts as tools: a call runs a loop of its own in the thread. An entry with options belongs to this source.

import type { Definitions } from "../definitions.ts";
import { subpromptRunner } from "../subprompt.ts";
import type { ToolSource } from "./tool-source.ts";

/** Makes the builder of the steps of a loop under a call. */
export type BuilderFor = Parameters<typeof subpromptRunner>[2];

/** The source. */
export function promptTools(definitions: Definitions, builderFor: BuilderFor): ToolSource {
  return {
    title: "The project's prompts",
    names: () => Promise.resolve(definitions.names("prompts")),
    runner(name, config = { name }) {
      if (!definitions.has("prompts", name)) return null;
      return definitions.prompt(name).then((prompt) => subpromptRunner(config, prompt, builderFor));
    },
  };
}
