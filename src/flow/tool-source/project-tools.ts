// The tools that the project defines.

import type { Definitions } from "../setup/project-definitions.ts";
import { toolRunner } from "../tool/tool-runner.ts";
import type { ToolDependencies } from "../tool/tool-runner.ts";
import type { ToolSource } from "./tool-source.ts";

/** Creates the tool source that offers the project's tools. */
export function projectTools(definitions: Definitions, dependencies: ToolDependencies): ToolSource {
  return {
    title: "The project's tools",
    names: () => Promise.resolve(definitions.names("tools")),
    runner(name) {
      if (!definitions.has("tools", name)) return null;
      return definitions.tool(name).then((tool) => toolRunner(name, tool, dependencies));
    },
  };
}
