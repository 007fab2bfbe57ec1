// Creates the thread of a new session from the context of an execute request. For an existing session the context is
// ignored, even if it no longer fits the project or the conversation.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import { initialTranscript } from "#contract/session/initial-transcript.ts";
import { setupAgent } from "#contract/setup.ts";
import type { SetupOptions } from "#contract/setup.ts";
import type { Caller, CreateInput } from "#core/rpc/thread-rpc.ts";
import type { Services } from "#http/services.ts";
import type { Registry } from "#spec/registry.ts";

import type { SessionContext } from "./execute-input.ts";
import { sessionExists } from "./find-thread.ts";
import type { SessionThread } from "./find-thread.ts";

/** A session that may have to be created. */
interface NewSession {
  caller: Caller;
  session: SessionThread;
  context: SessionContext;
  options: SetupOptions;
}

/** Creates the session if it does not exist. */
export async function createSession(
  { callThread, dependencies: { registry } }: Services,
  created: NewSession,
): Promise<void> {
  const { caller, session } = created;
  let input: CreateInput;
  try {
    input = newSession(registry, created);
  } catch (refused) {
    if (await sessionExists(callThread, caller, session)) return;
    throw refused;
  }
  try {
    await callThread({
      threadId: session.threadId,
      repeatable: true,
      run: (stub) => stub.call("create", caller, input),
    });
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    // On `conflict`, the id belongs to a thread that was created in another way, or to another user. Posting the input reports this.
    if (thrown.code !== "conflict")
      throw new ThreadholdError(inTermsOfRequest(thrown.refusal), { cause: thrown.cause });
  }
}

/** Throws for a model that is not defined, with the names of those that are. */
export function checkModel({ models }: Registry, { model }: SetupOptions): void {
  if (model === undefined || Object.hasOwn(models, model)) return;
  throw wrong("options.model", `There is no model "${model}".`, Object.keys(models));
}

/**
 * Returns the thread to create. Throws if the context names something that the project lacks, or if its messages do not
 * form a valid transcript.
 */
export function newSession(registry: Registry, { session, context, options }: Omit<NewSession, "caller">): CreateInput {
  const { agent, system_prompt, tools } = context;
  if (agent !== null && !Object.hasOwn(registry.agents, agent)) {
    throw wrong("context.agent", `There is no agent "${agent}".`, Object.keys(registry.agents));
  }
  if (agent !== null && system_prompt !== null) {
    const message = `The agent "${agent}" has a system prompt of its own. Leave one of them out.`;
    throw refuse("invalid_request", message, { fields: [{ path: "context.systemPrompt", message }] });
  }
  const model = agent === null ? { model: options.model ?? onlyModel(registry) } : {};
  const transcript = initialTranscript(context.messages);
  if (!Array.isArray(transcript)) {
    const { index, message } = transcript;
    const path = `context.messages.${String(index)}`;
    throw refuse("invalid_request", `${path} ${message}.`, { fields: [{ path, message }] });
  }
  return {
    id: session.threadId,
    user_id: session.owner,
    agent_id: agent ?? setupAgent,
    creation: `session ${session.name}`,
    setup: { id: session.name, agent, system_prompt, tools, options: { ...options, ...model } },
    transcript,
  };
}

/** The model of a session that names none: the only one, or the one named `default`. */
function onlyModel({ models }: Registry): string {
  const [only, ...others] = Object.keys(models);
  if (only !== undefined && others.length === 0) return only;
  if (Object.hasOwn(models, "default")) return "default";
  throw wrong("options.model", "Name a model.", Object.keys(models));
}

function wrong(path: string, problem: string, known: string[]): ThreadholdError {
  const message = `${problem} Defined: ${known.join(", ") || "none"}.`;
  return refuse("invalid_request", message, { fields: [{ path, message }], known });
}

/** Renames the fields of the thread's refusal to their names in an execute request. */
function inTermsOfRequest(refusal: Refusal): Refusal {
  const renamed = (text: string): string =>
    text.replace(/^setup\.(?=tools)/, "context.").replace(/^transcript\.(?=\d)/, "context.messages.");
  return JSON.parse(JSON.stringify(refusal), (_key, value: unknown) =>
    typeof value === "string" ? renamed(value) : value,
  ) as Refusal;
}
