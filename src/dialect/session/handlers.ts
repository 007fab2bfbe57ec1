// The handlers of the routes of sessions. Their code is loaded at the first request, because most deployments have no such client.

import type { HandlersOf } from "#http/route/handler.ts";
import type { Services } from "#http/services.ts";

import type { sessionGroup } from "./routes.ts";

export type SessionHandlers = HandlersOf<(typeof sessionGroup)["routes"]>;

export function sessionHandlers(services: Services): SessionHandlers {
  let loaded: SessionHandlers | null = null;
  // The value is cached, not its promise: a promise may never settle after the request that created it has ended.
  const load = async (): Promise<SessionHandlers> =>
    (loaded ??= (await import("./session-requests.ts")).createSessionHandlers(services));
  return {
    executeSession: async (call) => (await load()).executeSession(call),
    getSession: async (call) => (await load()).getSession(call),
  };
}
