// The routes of the collection of threads: create and list. A thread's owner is determined here from the caller.

import { v4 as randomId } from "uuid";

import type { CreateThread } from "#contract/thread-route.ts";
import { randomUuidText } from "#lib/uuid-text.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import { invalidField } from "../input/field-error.ts";
import { checkContent, checkMetadata } from "../input/message-size.ts";
import { readRequestKey } from "../input/request-key.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { reserveCreation } from "./creation-key.ts";
import { checkAgent } from "./known-agent.ts";
import { ownerOf, scopeOf } from "./owner.ts";

export function collectionHandlers(services: Services): Pick<Handlers, "createThread" | "listThreads"> {
  const { catalog } = services.dependencies;
  return {
    async createThread({ request, caller, body }) {
      checkBody(services, body);
      const owner = ownerOf(caller, body.user_id);
      await services.limits.create(caller);
      const wanted = body.id?.toLowerCase() ?? randomId();
      const key = await readRequestKey(request, "createThread", body);
      const { id, creation = randomId() } = await reserveCreation(services, { caller, key, id: wanted });
      const { user_id: _, ...rest } = body;
      const thread = await services.callThread({
        threadId: id,
        repeatable: true,
        run: (stub) => stub.call("create", caller, { ...rest, id, user_id: owner, creation }),
      });
      return jsonAnswer(thread, 201, { location: `/api/threads/${id}` });
    },
    async listThreads({ caller, query }) {
      const userId = scopeOf(caller, query.user_id);
      await services.limits.list(caller);
      const { items, next_cursor } = await catalog.list({
        userId,
        agentId: query.agent_id,
        status: query.status,
        tag: query.tag,
        q: query.q,
        parentId: query.parent_id,
        waiting: query.waiting,
        order: query.order,
        limit: query.limit,
        cursor: query.cursor,
      });
      return jsonAnswer({ threads: items, next_cursor });
    },
  };
}

function checkBody(services: Services, body: CreateThread): void {
  checkAgent(services.dependencies.registry, body.agent_id);
  if (body.id !== undefined && randomUuidText(body.id) === null) throw invalidField("id", "Has to be a version 4 UUID");
  checkMetadata(body.metadata);
  for (const [index, { content, attachments, metadata }] of (body.initial_messages ?? []).entries()) {
    checkContent(content, `initial_messages.${String(index)}.content`, attachments);
    checkMetadata(metadata, `initial_messages.${String(index)}.metadata`);
  }
}
