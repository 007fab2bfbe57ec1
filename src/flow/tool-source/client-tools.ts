// The tools that a client defines. The client executes their calls.

import type { ClientTool } from "#contract/setup.ts";
import type { Clock } from "#core/ports/clock.ts";
import { runnerDefaults } from "#core/ports/tool-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { remoteCall } from "#core/tools/remote-call.ts";

import { clientSchema } from "../setup/client-schema.ts";
import type { ClientSchema } from "../setup/client-schema.ts";
import type { ToolSource } from "./tool-source.ts";

/** Creates the tool source that offers the client's tools. `tools` is called at each use, because the list may change. */
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

/** The read schemas by tool object, so that each is read only once while the thread's row is in memory. */
const schemas = new WeakMap<ClientTool, ClientSchema>();

/**
 * Creates the runner. It is always remote: a call is a stored row that waits for the client's result. A schema that cannot be used,
 * possible only in a forged import, accepts no arguments.
 */
function clientToolRunner(tool: ClientTool, clock: Clock): ToolRunner {
  const { name, description } = tool;
  const { parameters, check } = schemaOf(tool);
  return {
    ...runnerDefaults,
    nested: remoteCall(name, tool.deadline_ms ?? undefined, clock),
    spec: { name, description, parameters },
    remote: true,
    check,
    async *run() {},
  };
}

function schemaOf(tool: ClientTool): ClientSchema {
  const known = schemas.get(tool);
  if (known !== undefined) return known;
  const schema = clientSchema(tool.parameters);
  const usable: ClientSchema =
    "problem" in schema
      ? {
          parameters: { type: "object", properties: {} },
          check: () => ({ ok: false, problem: `The tool's schema ${schema.problem}.` }),
        }
      : schema;
  schemas.set(tool, usable);
  return usable;
}
