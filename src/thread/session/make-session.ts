// Makes the thread of a session, with the messages that its client begins with. A session that is there stays as it is: its
// context counts once.

import { refuse } from "#contract/error.ts";
import type { SessionContext } from "#contract/session/execute-input.ts";
import { initialTranscript } from "#contract/session/initial-transcript.ts";
import type { SessionExecution } from "#core/session-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { Definitions } from "#flow/definitions.ts";
import { sessionAgent } from "#flow/session-definitions.ts";
import { sessionRecord } from "#flow/session-setup.ts";

import { createThread } from "../method/create-thread.ts";
import type { CreateContext } from "../method/create-thread.ts";

/** Makes it where there is none. One call at a time. */
export async function makeSession(
  parts: CreateContext,
  caller: Caller,
  { session_id, thread_id, owner, context, options }: SessionExecution & { context: SessionContext },
): Promise<void> {
  const { store, world } = parts;
  if (store.exists() && (store.readThread()?.creation ?? "") !== "") return;
  const definitions = new Definitions(world.registry);
  const session = sessionRecord(session_id, context, { options, definitions });
  const transcript = initialTranscript(context.messages);
  if (!Array.isArray(transcript)) {
    const { index, message } = transcript;
    const path = `context.messages.${index}`;
    throw refuse("invalid_request", `${path} ${message}.`, { fields: [{ path, message }] });
  }
  await createThread(parts, caller, {
    id: thread_id,
    user_id: owner,
    agent_id: context.agent ?? sessionAgent,
    creation: `session ${session_id}`,
    session,
    transcript,
  });
}
