// `execute` (agent API rework plan, "New API Design"): checks the input, begins an execution and returns its stream.

import { refuse } from "#contract/error.ts";
import type { AgentEvent } from "#contract/session/agent-event.ts";
import type { ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import type { ExecuteResult } from "#contract/session/execution-events.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { AgentSession } from "./agent-session.ts";
import { openRun, alreadyRunning } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { conversationOf } from "./create-session.ts";
import { readInput } from "./read-input.ts";
import { userRecord } from "./restore.ts";
import { Execution } from "./session-execution.ts";
import { assertKey, readOptions } from "./session-options.ts";
import type { ExecuteOptions, CheckedOptions } from "./session-options.ts";
import { storeResults } from "./waiting-calls.ts";

/**
 * An execution in progress. It continues whether its events are read or not. Each iteration has all events from the first one on. An
 * iteration that ends early does not stop the execution.
 */
export interface ExecuteStream extends AsyncIterable<AgentEvent> {
  /** The result. Never rejects: if a model fails, the status is `error` and the last message has the reason. */
  result(): Promise<ExecuteResult>;
}

/**
 * Executes a session with a user's message, or continues it with results of its pending calls. Results may come in parts; the session waits
 * until the last one has arrived. `options` replace those of the session for this execution, but the session's `signal` also aborts it.
 *
 * Throws a `ThreadholdError` and leaves the session unchanged: `conflict` while an execution is in progress, for a message while calls are
 * open, and for results if no call is open or the call has its result; `tool_call_not_found` for an unknown call; `invalid_request` for
 * invalid input and for a model without its key; `model_not_found`.
 */
export function execute(
  session: AgentSession,
  input: UserInput | readonly ToolResultInput[],
  options: ExecuteOptions = {},
): ExecuteStream {
  const conversation = conversationOf(session);
  if (conversation.status === "running") throw alreadyRunning(conversation.id);
  const read = readOptions(conversation.options, options);
  assertKey(read);
  const given = readInput(input);
  return "results" in given ? goOn(conversation, given.results, read) : begin(conversation, given.message, read);
}

function begin(conversation: Conversation, message: UserInput, options: CheckedOptions): ExecuteStream {
  const { id, pending, ids } = conversation;
  if (pending.length > 0) {
    const calls = pending.map((call) => `"${call.id}" (${call.name})`).join(", ");
    throw refuse("conflict", `The session "${id}" waits for the results of ${calls}. Execute it with those first.`);
  }
  const at = systemClock.now();
  const runId = ids.next();
  const record = userRecord(message, { newId: () => ids.next(), at, runId });
  const open = openRun({ id: runId, at, limits: options.limits }, [record]);
  conversation.begin(open);
  const execution = new Execution(conversation, open, options);
  return streamOf(execution, execution.run(record));
}

function goOn(conversation: Conversation, results: readonly ToolResultInput[], options: CheckedOptions): ExecuteStream {
  const { open, id } = conversation;
  if (open === null) throw refuse("conflict", `No call of the session "${id}" waits for a result.`);
  storeResults(open.journal, results);
  if (options.limits !== undefined) open.run.limits = options.limits;
  conversation.begin(open);
  const execution = new Execution(conversation, open, options);
  return streamOf(execution, execution.run(null));
}

function streamOf({ events }: Execution, result: Promise<ExecuteResult>): ExecuteStream {
  return { [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](), result: () => result };
}
