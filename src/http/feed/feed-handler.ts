// The live stream of a caller's threads: SSE ends here and is bridged, a WebSocket is handed through to the feed's object, so that
// an idle one costs nothing. Whose threads is decided here, before the object is asked.

import { ownerField, watchEndField } from "#core/feed-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";

import { socketOf } from "../bridge/attach.ts";
import type { Frame } from "../bridge/delivery.ts";
import { sseFrameOf, sseRefusal } from "../bridge/sse-frame.ts";
import { sseHeaders, sseResponse } from "../bridge/sse-response.ts";
import { wantsSocket } from "../input/upgrade.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { ownerOf } from "../thread/owner.ts";
import { tryTwice } from "../thread/thread-calls.ts";
import { FeedSource } from "./feed-source.ts";

/** The handler. */
export function feedHandlers(services: Services): Pick<Handlers, "watchThreads"> {
  const { feeds } = services.dependencies;
  const { timers } = services.ports;
  return {
    async watchThreads({ request, caller, query, headOnly }) {
      const owner = ownerOf(caller, query.user_id);
      const upgrade = (): Promise<Response> =>
        tryTwice(() => feeds(owner).fetch(watchRequest(owner, caller)), { what: "feed", repeatable: true });
      if (headOnly) return new Response(null, { headers: sseHeaders });
      if (wantsSocket(request)) return upgrade();
      const onClose = services.limits.openStream(caller);
      try {
        const source = new FeedSource(await socketOf(await upgrade()));
        return sseResponse(source, {
          timers,
          signal: request.signal,
          comment: () => "heartbeat",
          isLast: () => false,
          tellEnd: false,
          onClose,
          format,
        });
      } catch (thrown) {
        onClose();
        throw thrown;
      }
    },
  };
}

/** Frames have no `id`: there is no place to come back to. */
const format = {
  opening: "",
  frame: ({ event, json }: Frame): string => sseFrameOf(event, json),
  refusal: sseRefusal,
  isLast: () => false,
};

/** The upgrade as the object takes it: a request of our own making, with nothing of the client's. */
function watchRequest(owner: string | null, { until }: Caller): Request {
  const url = new URL("https://feed/watch");
  url.searchParams.set(ownerField, JSON.stringify(owner));
  if (until !== undefined) url.searchParams.set(watchEndField, String(until));
  return new Request(url, { headers: { upgrade: "websocket" } });
}
