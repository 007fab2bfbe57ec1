// The project's prompts as tools. A call runs a nested loop in the thread. An entry with options in a prompt's list of tools belongs to
// this source.

import type { Definitions } from "../setup/project-definitions.ts";
import { subpromptRunner } from "../tool/subprompt.ts";
import type { ToolSource } from "./tool-source.ts";

/** Creates the step builder of a call's nested loop. */
export type BuilderFor = Parameters<typeof subpromptRunner>[2];

/** Creates the tool source that offers the project's prompts as tools. */
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
