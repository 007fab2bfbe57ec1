// `execute` (agent API rework plan, "New API Design"): checks what is asked, begins the execution and hands out its stream.

import { refuse } from "#contract/error.ts";
import type { AgentEvent } from "#contract/session/agent-event.ts";
import type { ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import type { ExecuteResult } from "#contract/session/execution-events.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { AgentSession } from "./agent-session.ts";
import { openRun, running } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { conversationOf } from "./create-session.ts";
import { Execution } from "./execution.ts";
import { readInput } from "./read-input.ts";
import { userRecord } from "./restore.ts";
import { demandKey, readOptions } from "./session-options.ts";
import type { ExecuteOptions, ReadOptions } from "./session-options.ts";
import { deliver } from "./waiting-calls.ts";

/**
 * An execution under way. It goes on whether anybody iterates or not; each iteration has all events from the first on, and one
 * that is left early leaves the execution alone.
 */
export interface ExecuteStream extends AsyncIterable<AgentEvent> {
  /** How it ended. Never rejects: a model that fails gives the status `error`, and the message that says why. */
  result(): Promise<ExecuteResult>;
}

/**
 * Runs a session with a user's message, or goes on with the results of its pending calls. Results may come in parts: until the
 * last one is there the session goes on waiting. `options` hold for this execution in place of the session's own.
 *
 * Throws a `ThreadholdError`, with the session as it was: `conflict` while an execution is under way, for a message while
 * calls are open, for results where none is open or a call that has its result; `tool_call_not_found` for a call nobody made;
 * `invalid_request` for input of another shape and for a model without its key; `model_not_found`.
 */
export function execute(
  session: AgentSession,
  input: UserInput | readonly ToolResultInput[],
  options: ExecuteOptions = {},
): ExecuteStream {
  const conversation = conversationOf(session);
  if (conversation.status === "running") throw running(conversation.id);
  const read = readOptions(conversation.options, options);
  demandKey(read);
  const given = readInput(input);
  return "results" in given ? goOn(conversation, given.results, read) : begin(conversation, given.message, read);
}

function begin(conversation: Conversation, message: UserInput, options: ReadOptions): ExecuteStream {
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

function goOn(conversation: Conversation, results: readonly ToolResultInput[], options: ReadOptions): ExecuteStream {
  const { open, id } = conversation;
  if (open === null) throw refuse("conflict", `No call of the session "${id}" waits for a result.`);
  deliver(open.journal, results);
  if (options.limits !== undefined) open.run.limits = options.limits;
  conversation.begin(open);
  const execution = new Execution(conversation, open, options);
  return streamOf(execution, execution.run(null));
}

function streamOf({ events }: Execution, result: Promise<ExecuteResult>): ExecuteStream {
  return { [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](), result: () => result };
}
