// The route that takes a client's answers to calls of remote tools. A run goes on with them, so the thread has to find a place among
// those at work, like one whose run begins.

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
      const taken = await inPlace(place, () =>
        // Repeatable: an answer that is there already is taken for what it is.
        calls({ threadId, repeatable: true, run: (stub) => stub.postToolResults(place.caller, body) }),
      );
      return jsonAnswer(taken, 202);
    },
  };
}
