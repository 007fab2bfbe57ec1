// The route that receives a client's results of remote tool calls. The run resumes with them, so it takes a lease among the user's
// running threads, like a run that starts.

import { jsonAnswer } from "../answer/json-answer.ts";
import { withLease } from "../limit/user-leases.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

/** The handler. */
export function toolResultHandlers({ callThread, leases }: Services): Pick<Handlers, "postToolResults"> {
  return {
    async postToolResults({ params, caller, body }) {
      const { id: threadId } = params;
      const lease = await leases.take(caller, { holder: { thread: threadId }, stream: null, run: true });
      const { run, missing, ignored } = await withLease(lease, () =>
        // Repeatable, because the object accepts a result that equals the stored one.
        callThread({ threadId, repeatable: true, run: (stub) => stub.call("postToolResults", lease.caller, body) }),
      );
      return jsonAnswer({ run, missing, ignored }, 202);
    },
  };
}
