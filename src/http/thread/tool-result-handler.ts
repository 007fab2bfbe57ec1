// The route that takes a client's results of remote tool calls. The run continues with them, so the thread needs a place among
// the user's working threads, like a thread whose run starts.

import { jsonAnswer } from "../answer/json-answer.ts";
import { inPlace } from "../limit/places.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

/** The handler. */
export function toolResultHandlers({ calls, places }: Services): Pick<Handlers, "postToolResults"> {
  return {
    async postToolResults({ params, caller, body }) {
      const { id: threadId } = params;
      const place = await places.take(caller, { holder: { thread: threadId }, stream: null, run: true });
      const { run, missing, ignored } = await inPlace(place, () =>
        // Repeatable: a result that was stored already is recognised as the same.
        calls({ threadId, repeatable: true, run: (stub) => stub.call("postToolResults", place.caller, body) }),
      );
      return jsonAnswer({ run, missing, ignored }, 202);
    },
  };
}
