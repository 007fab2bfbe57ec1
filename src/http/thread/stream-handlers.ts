// The two routes that follow a thread. Server-sent events are bridged: the Worker reads the object's socket and writes the response. A
// WebSocket is passed through to the object, so that an idle one costs nothing.

import { eventTypes } from "#contract/event.ts";
import type { Subscribe } from "#contract/stream-route.ts";
import { closestWord } from "#lib/edit-distance.ts";

import { sseResponse } from "../bridge/sse-response.ts";
import { subscribeRequest, Subscription } from "../bridge/thread-subscription.ts";
import type { SubscriptionQuery } from "../bridge/thread-subscription.ts";
import { invalidField } from "../input/field-error.ts";
import { withLease } from "../limit/user-leases.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "./call-thread.ts";

export function streamHandlers(services: Services): Pick<Handlers, "threadEvents" | "threadStream"> {
  const { threads } = services.dependencies;
  const { ports, leases } = services;
  return {
    async threadEvents({ request, params, caller, query, headOnly }) {
      const fields = subscriptionQuery(query, request.headers.get("last-event-id"));
      if (headOnly) {
        await services.callThread({
          threadId: params.id,
          repeatable: true,
          run: (stub) => stub.call("describe", caller),
        });
        return new Response(null, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
      }
      const { id: threadId } = params;
      const lease = await leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: false });
      const target = { threads, threadId, caller: lease.caller, query: fields };
      const subscription = await withLease(lease, () =>
        withStub(threads, { threadId, repeatable: true, run: () => Subscription.open(target, ports) }),
      );
      const writeEnd = query.until === "idle";
      return sseResponse(subscription, { ports, signal: request.signal, writeEnd });
    },
    async threadStream({ params, caller, query }) {
      const fields = subscriptionQuery(query, null);
      const { id: threadId } = params;
      const lease = await leases.take(caller, { holder: { thread: threadId }, stream: "handed_through", run: false });
      return withLease(lease, async () => {
        const response = await withStub(threads, {
          threadId,
          repeatable: true,
          run: (stub) => stub.fetch(subscribeRequest(lease.caller, fields)),
        });
        if (response.webSocket === null) await lease.giveBack();
        return response;
      });
    },
  };
}

/** The query for the object, with validated fields only. `Last-Event-ID` takes precedence over `after`. */
function subscriptionQuery(query: Subscribe, lastEventId: string | null): SubscriptionQuery {
  const fields: Record<string, string> = {};
  const after = lastEventId === null ? query.after : readLastEventId(lastEventId);
  if (after !== undefined) fields["after"] = String(after);
  if (query.types !== undefined) fields["types"] = readTypes(query.types);
  if (query.depth !== undefined) fields["depth"] = String(query.depth);
  if (query.include_silent) fields["include_silent"] = "true";
  if (query.until !== undefined) fields["until"] = query.until;
  return fields;
}

function readLastEventId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidField("Last-Event-ID", "Has to be the number of an event");
  return Number(text);
}

function readTypes(list: string): string {
  const known: readonly string[] = eventTypes;
  for (const type of list.split(",")) {
    if (known.includes(type)) continue;
    const meant = closestWord(type, known);
    throw invalidField(
      "types",
      `There is no event type "${type}"${meant === undefined ? "" : `, did you mean "${meant}"?`}`,
    );
  }
  return list;
}
