// The routes of a thread's branches.

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

export function branchHandlers({ callThread, limits }: Services): Pick<Handlers, "getTree" | "checkout"> {
  return {
    async getTree({ params, caller, query }) {
      await limits.list(caller);
      const run = { threadId: params.id, repeatable: true };
      const { items, next_cursor } = await callThread({
        ...run,
        run: (stub) => stub.call("listBranches", caller, query),
      });
      return jsonAnswer({ branches: items, next_cursor });
    },
    async checkout({ params, caller, body }) {
      await limits.change(caller);
      // Not repeatable with `before`: a second attempt would make a second branch.
      const run = { threadId: params.id, repeatable: body.before === undefined };
      return jsonAnswer(await callThread({ ...run, run: (stub) => stub.call("checkout", caller, body) }));
    },
  };
}
