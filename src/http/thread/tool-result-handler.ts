// The route that takes a client's answers to calls of remote tools.

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

/** The handler. */
export function toolResultHandlers(services: Services): Pick<Handlers, "postToolResults"> {
  return {
    async postToolResults({ params, caller, body }) {
      // Repeatable: an answer that is there already is taken for what it is.
      const run = (stub: Parameters<Parameters<Services["calls"]>[0]["run"]>[0]) => stub.postToolResults(caller, body);
      const taken = await services.calls({ threadId: params.id, repeatable: true, run });
      if (taken.missing.length === 0) services.activeRuns.began(caller, params.id, taken.run.id);
      return jsonAnswer(taken, 202);
    },
  };
}
