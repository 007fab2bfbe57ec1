// Takes the input of an execute request: a person's word begins a run, results go to the run that waits for them. What the
// options say is written together with what it is said of.

import { refuse } from "#contract/error.ts";
import { postMessageSchema } from "#contract/request.ts";
import type { ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import { inputContent, postedResult } from "#contract/session/initial-transcript.ts";
import type { Execution, SessionExecution } from "#core/session-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { checkModel, withOptions } from "#flow/session-setup.ts";

import { takeToolResults } from "../method/tool-results.ts";
import type { ObjectContext } from "../object-context.ts";
import type { OpenThread } from "../open-thread.ts";
import { admitMessage } from "../run/admission.ts";
import { pendingSessionCalls } from "./pending-calls.ts";

/** Takes it. */
export async function executeSession(open: OpenThread, caller: Caller, asked: SessionExecution): Promise<Execution> {
  const { context } = open;
  checkModel(asked.options, context.definitions);
  const { input } = asked;
  const taken = Array.isArray(input)
    ? await takeResults(open, caller, { ...asked, input })
    : await takeWord(open, caller, { ...asked, input });
  return { ...taken, client_tools: context.live.record.session?.tools.map(({ name }) => name) ?? [] };
}

type Taken = Omit<Execution, "client_tools">;

async function takeWord(
  { context, driver }: OpenThread,
  caller: Caller,
  asked: SessionExecution & { input: UserInput },
): Promise<Taken> {
  const { key, limits, input } = asked;
  if (key === null || context.live.store.key(key.key) === null) mustBeAtRest(context);
  const content = inputContent(input);
  const message = postMessageSchema.parse({ content, when: "reject", ...(limits === null ? {} : { limits }) });
  const onAdmission = (): void => keepOptions(context, asked);
  const { run, after } = await admitMessage(context, driver, { caller, input: message, key, onAdmission });
  if (run === null) throw refuse("internal", "The message began no run.");
  return { run, after, rests: null };
}

/** Whoever speaks while calls are open would have them answered by nobody. */
function mustBeAtRest({ live }: ObjectContext): void {
  const { status, active_run_id, pending = [] } = live.record;
  if (active_run_id === null) return;
  const details = { run_id: active_run_id };
  if (status === "awaiting_tool_execution") {
    const open = pending.map(({ id, kind }) => `"${id}" (${kind})`).join(", ");
    throw refuse("conflict", `Calls are open: ${open}. Have them answered first, or stop the thread.`, details);
  }
  throw refuse("conflict", "The session is at work. Wait for the end of its stream, or stop the thread.", details);
}

async function takeResults(
  open: OpenThread,
  caller: Caller,
  asked: SessionExecution & { input: ToolResultInput[] },
): Promise<Taken> {
  const { live } = open.context;
  if (asked.limits !== null) {
    throw refuse("invalid_request", "Limits are of the run that a message begins; results go on with one.", {
      fields: [{ path: "options.limits", message: "not together with results" }],
    });
  }
  if (live.record.status !== "awaiting_tool_execution") {
    throw refuse("conflict", "No call of this session waits for a result.");
  }
  const after = live.lastSeq;
  const onTaken = (): void => keepOptions(open.context, asked);
  const body = { results: asked.input.map(postedResult) };
  const { run } = await takeToolResults(open, { caller, body, onTaken });
  const rests = run.status === "awaiting_tool_execution" ? pendingSessionCalls(live) : null;
  return { run, after, rests };
}

/** Changes the row in memory; whoever admits the input writes it with that. */
function keepOptions({ live }: ObjectContext, { options }: SessionExecution): void {
  if (Object.keys(options).length === 0) return;
  live.change({ session: withOptions(live.record.session, live.record, options) });
}
