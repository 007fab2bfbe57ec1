// The routes of queued inputs, and of the context of the next request. The thread's object decides which inputs can still be changed.

import { emptyAnswer, jsonAnswer } from "../answer/json-answer.ts";
import { checkContent, checkMetadata } from "../input/message-size.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

export function queueHandlers({
  callThread,
  limits,
}: Services): Pick<Handlers, "listQueue" | "patchQueued" | "deleteQueued" | "threadContext"> {
  return {
    async threadContext({ params, caller, query }) {
      await limits.list(caller);
      const run = { threadId: params.id, repeatable: true };
      return jsonAnswer(await callThread({ ...run, run: (stub) => stub.call("threadContext", caller, query) }));
    },
    async listQueue({ params, caller, query }) {
      await limits.list(caller);
      const run = { threadId: params.id, repeatable: true };
      const { items, next_cursor } = await callThread({ ...run, run: (stub) => stub.call("listQueue", caller, query) });
      return jsonAnswer({ queue: items, next_cursor });
    },
    async patchQueued({ params, caller, body }) {
      const { id, qid } = params;
      if (body.content !== undefined) checkContent(body.content, "content");
      checkMetadata(body.metadata);
      await limits.change(caller);
      const run = { threadId: id, repeatable: true };
      return jsonAnswer(await callThread({ ...run, run: (stub) => stub.call("patchQueued", caller, qid, body) }));
    },
    async deleteQueued({ params, caller }) {
      const { id, qid } = params;
      await limits.change(caller);
      // Not retried: after a lost response, the second attempt would report that the input is no longer queued.
      await callThread({ threadId: id, repeatable: false, run: (stub) => stub.call("deleteQueued", caller, qid) });
      return emptyAnswer();
    },
  };
}
