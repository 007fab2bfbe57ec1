// The tools that a client defines. The client executes their calls.

import type { ClientTool } from "#contract/setup.ts";
import type { Clock } from "#core/ports/clock.ts";

import { clientToolRunner } from "../client-tool.ts";
import type { ToolSource } from "./tool-source.ts";

/** Creates the source. `tools` is called each time, since the list may change. */
export function clientTools(tools: () => readonly ClientTool[], clock: Clock): ToolSource {
  return {
    title: "The client's tools",
    names: () => Promise.resolve(tools().map(({ name }) => name)),
    runner(name) {
      const tool = tools().find((each) => each.name === name);
      return tool === undefined ? null : Promise.resolve(clientToolRunner(tool, clock));
    },
  };
}
