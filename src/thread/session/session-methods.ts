// The methods of sessions: a thread that was made as a session is executed and read under the session's name.

import { refuse } from "#contract/error.ts";
import type { SessionPlace } from "#core/session-rpc.ts";

import { withConfirmedLease } from "../method/confirmed-lease.ts";
import type { MethodCall, MethodGroup } from "../method/method-call.ts";
import type { OpenThread } from "../open-thread.ts";
import { executeSession } from "./execute-session.ts";
import { makeSession } from "./make-session.ts";
import { readSession } from "./read-session.ts";

/** The methods of sessions. */
export const sessionMethods: MethodGroup<"executeSession" | "readSession"> = {
  executeSession: async (call, execution) => {
    const { caller, create } = call;
    const { context } = execution;
    if (context !== null) await create((parts) => makeSession(parts, caller, { ...execution, context }));
    const session = { ...call, thread: () => sessionThread(call, execution) };
    return withConfirmedLease(session, (open) => executeSession(open, caller, execution));
  },
  readSession: (call, place, cursor) => readSession(sessionThread(call, place).context, cursor),
};

/** The thread of a session. Refuses a derived thread id unless the thread is the session of that name and owner. */
function sessionThread({ thread }: MethodCall, { session_id, derived, owner }: SessionPlace): OpenThread {
  const open = thread();
  const { user_id, session } = open.context.live.record;
  if (!derived || (session?.id === session_id && user_id === owner)) return open;
  throw refuse("thread_not_found", "There is no such thread.");
}
