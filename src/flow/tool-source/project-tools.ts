// The project's tools.

import type { Definitions } from "../definitions.ts";
import { toolRunner } from "../tool-runner.ts";
import type { ToolSurroundings } from "../tool-runner.ts";
import type { ToolSource } from "./tool-source.ts";

/** The source. */
export function projectTools(definitions: Definitions, surroundings: ToolSurroundings): ToolSource {
  return {
    title: "The project's tools",
    names: () => Promise.resolve(definitions.names("tools")),
    runner(name) {
      if (!definitions.has("tools", name)) return null;
      return definitions.tool(name).then((tool) => toolRunner(name, tool, surroundings));
    },
  };
}
