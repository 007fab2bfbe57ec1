// The routes that search messages. Each thread's object searches its own messages. A search over threads asks the threads of one page
// of the list, a few at a time; a thread whose search fails is listed with the error.

import { ThreadholdError } from "#contract/error.ts";
import type { MessageHits, ThreadHits } from "#contract/search-route.ts";
import type { Thread } from "#contract/thread.ts";
import { callerHeader, messageSearchPath } from "#core/rpc/thread-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { TimeLimitError, withinTime } from "#lib/time-limit.ts";
import { ownResponseJson } from "#lib/untrusted/own-json.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "./call-thread.ts";
import { refusalOf } from "./file-handlers.ts";
import { scopeOf } from "./owner.ts";

/** Threads that are searched at the same time, and milliseconds that each search may take. */
const threadsAtOnce = 8;
const answerMs = 5000;

/** Hits of each thread in a search over threads. The thread's cursor returns further hits. */
const hitsOfThread = "3";

export function searchHandlers(services: Services): Pick<Handlers, "searchMessages" | "searchThreads"> {
  const { dependencies, limits } = services;
  return {
    searchMessages: ({ params, caller, url }) =>
      limits.search(caller, async () =>
        jsonAnswer(await askThread(services, { id: params.id, caller, query: url.searchParams })),
      ),
    searchThreads: ({ caller, query }) =>
      limits.search(caller, async () => {
        const { items, next_cursor } = await dependencies.catalog.list({
          userId: scopeOf(caller, query.user_id),
          agentId: query.agent_id,
          status: query.status,
          tag: query.tag,
          parentId: query.parent_id,
          limit: query.limit,
          cursor: query.cursor,
        });
        const wanted = new URLSearchParams({ q: query.q, limit: hitsOfThread });
        const inTurn = createRequestQueue(threadsAtOnce);
        const asked = items.map((thread) => inTurn(null, () => hitsOf(services, thread, { caller, query: wanted })));
        const found = await Promise.all(asked);
        return jsonAnswer({ threads: found.filter((one) => one !== null && isShown(one)), next_cursor });
      }),
  };
}

/** The search of one thread. */
interface ThreadSearch {
  caller: Caller;
  query: URLSearchParams;
}

async function askThread(
  { dependencies }: Services,
  { id, caller, query }: ThreadSearch & { id: string },
): Promise<MessageHits> {
  const headers = { [callerHeader]: JSON.stringify(caller) };
  const response = await withStub(dependencies.threads, {
    threadId: id,
    repeatable: true,
    run: (stub) => stub.fetch(new Request(`https://thread${messageSearchPath}?${query.toString()}`, { headers })),
  });
  if (response.status >= 400) throw await refusalOf(response);
  return (await ownResponseJson(response)) as MessageHits;
}

/** The thread with its hits or with the error of its search. Null for a thread that was deleted after it was listed. */
async function hitsOf(services: Services, thread: Thread, search: ThreadSearch): Promise<ThreadHits | null> {
  const { timers } = services.ports;
  try {
    const asked = askThread(services, { ...search, id: thread.id });
    return { thread, ...(await withinTime(asked, { timers, milliseconds: answerMs })), error: null };
  } catch (thrown) {
    if (thrown instanceof ThreadholdError && thrown.code === "thread_not_found") return null;
    return { thread, hits: [], next_cursor: null, error: searchError(services, thread, thrown) };
  }
}

function searchError({ log }: Services, { id }: Thread, thrown: unknown): NonNullable<ThreadHits["error"]> {
  if (thrown instanceof ThreadholdError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof TimeLimitError) {
    return { code: "unavailable", message: `The thread did not answer within ${String(answerMs / 1000)} s.` };
  }
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  log("error", "thread_search_failed", { thread_id: id, cause });
  return { code: "internal", message: "The thread could not be searched." };
}

/** Whether the thread has hits, has messages that are not searched yet, or failed. */
function isShown({ hits, next_cursor, error }: ThreadHits): boolean {
  return hits.length > 0 || next_cursor !== null || error !== null;
}
