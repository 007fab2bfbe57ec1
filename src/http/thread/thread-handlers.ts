// The routes of one thread, its messages, runs and logs. The thread's object checks the owner; these handlers validate and call it.

import { emptyAnswer, jsonAnswer } from "../answer/json-answer.ts";
import { checkContent, checkMetadata } from "../input/message-size.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { checkAgent } from "./known-agent.ts";

type ThreadRoutes =
  | "getThread"
  | "patchThread"
  | "deleteThread"
  | "listMessages"
  | "getMessage"
  | "patchMessage"
  | "deleteMessage"
  | "listRuns"
  | "getRun"
  | "stopThread"
  | "invokeTool"
  | "listLogs"
  | "getLog";

const repeatable = true;

export function threadHandlers({ callThread, dependencies, limits }: Services): Pick<Handlers, ThreadRoutes> {
  return {
    async getThread({ params, caller }) {
      return jsonAnswer(
        await callThread({ threadId: params.id, repeatable, run: (stub) => stub.call("describe", caller) }),
      );
    },
    async patchThread({ params, caller, body }) {
      if (body.agent_id !== undefined) checkAgent(dependencies.registry, body.agent_id);
      checkMetadata(body.metadata);
      await limits.change(caller);
      return jsonAnswer(
        await callThread({ threadId: params.id, repeatable, run: (stub) => stub.call("patch", caller, body) }),
      );
    },
    async deleteThread({ params, caller }) {
      await limits.change(caller);
      await callThread({ threadId: params.id, repeatable, run: (stub) => stub.call("remove", caller) });
      return emptyAnswer();
    },
    async listMessages({ params, caller, query }) {
      await limits.list(caller);
      const run = { threadId: params.id, repeatable };
      const { items, ...rest } = await callThread({ ...run, run: (stub) => stub.call("listMessages", caller, query) });
      return jsonAnswer({ messages: items, ...rest });
    },
    async getMessage({ params, caller }) {
      const { id, mid } = params;
      return jsonAnswer(
        await callThread({ threadId: id, repeatable, run: (stub) => stub.call("getMessage", caller, mid) }),
      );
    },
    async patchMessage({ params, caller, body }) {
      const { id, mid } = params;
      if (body.content !== undefined) checkContent(body.content, "content");
      checkMetadata(body.metadata);
      await limits.change(caller);
      return jsonAnswer(
        await callThread({ threadId: id, repeatable, run: (stub) => stub.call("patchMessage", caller, mid, body) }),
      );
    },
    async deleteMessage({ params, caller }) {
      const { id, mid } = params;
      await limits.change(caller);
      await callThread({ threadId: id, repeatable, run: (stub) => stub.call("deleteMessage", caller, mid) });
      return emptyAnswer();
    },
    async listRuns({ params, caller, query }) {
      await limits.list(caller);
      const run = { threadId: params.id, repeatable };
      const { items, next_cursor } = await callThread({ ...run, run: (stub) => stub.call("listRuns", caller, query) });
      return jsonAnswer({ runs: items, next_cursor });
    },
    async getRun({ params, caller }) {
      const { id, rid } = params;
      return jsonAnswer(
        await callThread({ threadId: id, repeatable, run: (stub) => stub.call("getRun", caller, rid) }),
      );
    },
    async stopThread({ params, caller, body }) {
      const runId = body.run_id ?? null;
      return jsonAnswer(
        await callThread({ threadId: params.id, repeatable, run: (stub) => stub.call("stop", caller, runId) }),
      );
    },
    async invokeTool({ params, caller, body }) {
      const { id, name } = params;
      await limits.invoke(caller);
      // Not retried, because the tool may have run.
      const run = { threadId: id, repeatable: false };
      return jsonAnswer(await callThread({ ...run, run: (stub) => stub.call("invokeTool", caller, name, body.args) }));
    },
    async listLogs({ params, caller, query }) {
      await limits.list(caller);
      const run = { threadId: params.id, repeatable };
      const { items, next_cursor } = await callThread({ ...run, run: (stub) => stub.call("listLogs", caller, query) });
      return jsonAnswer({ logs: items, next_cursor });
    },
    async getLog({ params, caller }) {
      const { id, lid } = params;
      return jsonAnswer(
        await callThread({ threadId: id, repeatable, run: (stub) => stub.call("getLog", caller, lid) }),
      );
    },
  };
}
