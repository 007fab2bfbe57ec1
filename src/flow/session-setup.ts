// What a client may set up a session with, against what the project defines. Refusals name the field and what there is.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import type { ClientTool, SessionContext, SessionOptions } from "#contract/session/execute-input.ts";
import type { SessionRecord } from "#core/record.ts";

import { clientSchema } from "./client-schema.ts";
import type { Definitions } from "./definitions.ts";

/** UTF-16 units that all tools of a session may take as JSON: they lie in the thread's row. */
const toolUnits = 256 * 1024;

/** What a new session keeps. Throws `invalid_request` for what does not fit the project. */
export function sessionRecord(
  id: string,
  { agent, system_prompt, tools }: SessionContext,
  { options, definitions }: { options: SessionOptions; definitions: Definitions },
): SessionRecord {
  checkModel(options, definitions);
  if (agent !== null && !definitions.has("agents", agent)) {
    const known = definitions.names("agents");
    throw wrong("context.agent", `There is no agent "${agent}". Defined: ${known.join(", ") || "none"}.`, { known });
  }
  if (agent !== null && system_prompt !== null) {
    throw wrong("context.systemPrompt", `The agent "${agent}" has a system prompt of its own. Leave one of them out.`);
  }
  checkTools(tools, definitions);
  const model = agent === null ? { model: options.model ?? onlyModel(definitions) } : {};
  return { id, agent, system_prompt, tools, options: { ...options, ...model } };
}

/** The session with other options, from the next run on. Of a thread that was made another way, it is begun by this. */
export function withOptions(
  session: SessionRecord | undefined,
  thread: { id: string; agent_id: string },
  options: SessionOptions,
): SessionRecord {
  const before = session ?? { id: thread.id, agent: thread.agent_id, system_prompt: null, tools: [], options: {} };
  return { ...before, options: { ...before.options, ...options } };
}

/** Throws for a model that is not defined, with the names of those that are. */
export function checkModel({ model }: SessionOptions, definitions: Definitions): void {
  if (model === undefined || definitions.has("models", model)) return;
  const known = definitions.names("models");
  throw wrong("options.model", `There is no model "${model}". Defined: ${known.join(", ") || "none"}.`, { known });
}

/** The model of a session that names none: the one there is, or the one that is called so. */
function onlyModel(definitions: Definitions): string {
  const known = definitions.names("models");
  const [only, ...others] = known;
  if (only !== undefined && others.length === 0) return only;
  if (definitions.has("models", "default")) return "default";
  throw wrong("options.model", `Name a model. Defined: ${known.join(", ") || "none"}.`, { known });
}

function checkTools(tools: readonly ClientTool[], definitions: Definitions): void {
  if (JSON.stringify(tools).length > toolUnits) {
    throw refuse("too_large", `The tools take more than ${toolUnits} characters.`, {
      field: "context.tools",
      limit: toolUnits,
    });
  }
  const names = new Set<string>();
  for (const [index, { name, parameters }] of tools.entries()) {
    const path = `context.tools.${index}`;
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

function wrong(path: string, message: string, more: { known?: string[] } = {}): ThreadholdError {
  return refuse("invalid_request", message, { fields: [{ path, message }], ...more });
}
