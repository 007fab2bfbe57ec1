// A tool that a client defines with its session. It is always remote: a call is a stored row that waits for the client's result.

import type { ClientTool } from "#contract/setup.ts";
import type { Clock } from "#core/ports/clock.ts";
import { runnerDefaults, type ToolRunner } from "#core/ports/tool-port.ts";
import { remoteCall } from "#core/tools/remote-call.ts";

import { clientSchema } from "./client-schema.ts";
import type { ClientSchema } from "./client-schema.ts";

/** Schemas by the tool object they were read from, so that each is read once while the thread's row is in memory. */
const schemas = new WeakMap<ClientTool, ClientSchema>();

/** Creates the runner. A schema that cannot be used, possible only in a forged import, accepts no arguments. */
export function clientToolRunner(tool: ClientTool, clock: Clock): ToolRunner {
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
