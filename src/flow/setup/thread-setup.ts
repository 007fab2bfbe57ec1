// Checks a client's setup of a thread against the project's definitions. An error names the field, such as `setup.tools.0.name`.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import type { ClientTool, SetupOptions, ThreadSetup } from "#contract/setup.ts";

import { clientSchema } from "./client-schema.ts";
import type { Definitions } from "./project-definitions.ts";

/** The maximum number of UTF-16 units of JSON of all tools of a setup. The thread's row stores them. */
const toolUnits = 256 * 1024;

/** The setup with changed options, which apply from the next run on. A thread that was created without a setup gets one. */
export function withOptions(
  setup: ThreadSetup | undefined,
  thread: { id: string; agent_id: string },
  options: SetupOptions,
): ThreadSetup {
  const before = setup ?? { id: thread.id, agent: thread.agent_id, system_prompt: null, tools: [], options: {} };
  return { ...before, options: { ...before.options, ...options } };
}

/** Throws if the tools are too large, have equal names, have a reserved name or a name of the project, or lack a usable schema. */
export function checkSetupTools(tools: readonly ClientTool[], definitions: Definitions): void {
  if (JSON.stringify(tools).length > toolUnits) {
    throw refuse("too_large", `The tools take more than ${toolUnits} characters.`, {
      field: "setup.tools",
      limit: toolUnits,
    });
  }
  const names = new Set<string>();
  for (const [index, { name, parameters }] of tools.entries()) {
    const path = `setup.tools.${index}`;
    if (name in Object.prototype) throw wrong(`${path}.name`, `No tool can be named "${name}".`);
    if (names.has(name)) throw wrong(`${path}.name`, `The tool "${name}" is there twice.`);
    if (definitions.isCallable(name)) {
      throw wrong(`${path}.name`, `"${name}" is defined on the server, and no client's tool can stand in for it.`);
    }
    names.add(name);
    const schema = clientSchema(parameters);
    if ("problem" in schema) throw wrong(`${path}.parameters`, `The schema of "${name}" ${schema.problem}.`);
  }
}

function wrong(path: string, message: string): ThreadholdError {
  return refuse("invalid_request", message, { fields: [{ path, message }] });
}
