// The route that streams the changes of a caller's threads. Server-sent events are bridged: the Worker reads the feed object's socket
// and writes the response. A WebSocket is passed through to the object, so that an idle one costs nothing. The owner of the threads
// is determined and checked here, before the object is called.

import { leaseField, ownerField, watchEndField } from "#core/rpc/feed-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import type { Frame } from "../bridge/deliveries.ts";
import { sseFrameOf, sseHeaders, sseRefusal, sseResponse } from "../bridge/sse-response.ts";
import type { SseFormat } from "../bridge/sse-response.ts";
import { socketOf } from "../bridge/thread-subscription.ts";
import { wantsSocket } from "../input/upgrade.ts";
import { withLease } from "../limit/user-leases.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { tryTwice } from "../thread/call-thread.ts";
import { ownerOf } from "../thread/owner.ts";
import { FeedSource } from "./feed-source.ts";

export function feedHandlers(services: Services): Pick<Handlers, "watchThreads"> {
  const { feeds } = services.dependencies;
  return {
    async watchThreads({ request, caller, query, headOnly }) {
      const owner = ownerOf(caller, query.user_id);
      if (headOnly) return new Response(null, { headers: sseHeaders });
      const stream = wantsSocket(request) ? "handed_through" : "bridged";
      const lease = await services.leases.take(caller, { holder: { feed: owner }, stream, run: false });
      return withLease(lease, async () => {
        const upgraded = await tryTwice(() => feeds(owner).fetch(watchRequest(owner, lease.caller)), {
          what: "feed",
          repeatable: true,
        });
        if (wantsSocket(request)) {
          if (upgraded.webSocket === null) await lease.giveBack();
          return upgraded;
        }
        const source = new FeedSource(await socketOf(upgraded), services.ports);
        return sseResponse(source, { ports: services.ports, signal: request.signal, format });
      });
    },
  };
}

/** The format of the stream. Its frames have no `id`, because a feed cannot be resumed. */
const format: SseFormat = {
  opening: "",
  frame: ({ event, json }: Frame): string => sseFrameOf(event, json),
  refusal: sseRefusal,
};

/** Builds the upgrade request for the feed object. It has no header of the client's request, only the owner and the caller's lease and expiry. */
function watchRequest(owner: string | null, { lease, until, user }: Caller): Request {
  const url = new URL("https://feed/watch");
  url.searchParams.set(ownerField, JSON.stringify(owner));
  if (until !== undefined) url.searchParams.set(watchEndField, String(until));
  if (lease !== undefined) {
    const { id, bridged } = lease;
    // The feed object replaces `bridged_at` by its own time.
    url.searchParams.set(leaseField, JSON.stringify({ id, owner: user, ...(bridged ? { bridged_at: 0 } : {}) }));
  }
  return new Request(url, { headers: { upgrade: "websocket" } });
}
