// `POST /api/tickets`: issues tickets for the streams of threads and for the feed, and for no other route.

import { refuse } from "#contract/error.ts";
import type { RouteName } from "#contract/route.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import { invalidField } from "../input/field-error.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

const streams: ReadonlySet<RouteName> = new Set(["threadEvents", "threadStream", "watchThreads"]);

/** `routeAt` returns the built-in route that handles GET at a path. */
export function ticketHandlers(
  { tickets }: Services,
  routeAt: (path: string) => RouteName | undefined,
): Pick<Handlers, "createTicket"> {
  return {
    async createTicket({ caller, body }) {
      if (tickets === null) {
        throw refuse(
          "auth_not_configured",
          "Tickets are off until TICKET_SECRET is set. Streams take a token in the header.",
        );
      }
      const route = routeAt(body.path);
      if (route === undefined || !streams.has(route)) {
        throw invalidField(
          "path",
          "Has to be the path, without a query, of a thread's events or stream, or of the feed",
        );
      }
      return jsonAnswer(await tickets.issue(body.path, caller));
    },
  };
}
