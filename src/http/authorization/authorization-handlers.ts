// The routes of authorizations of MCP servers. Most deployments get no request for them, so their code is loaded by the first one.

import { notConfigured } from "../auth/authenticate.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

export type AuthorizationRoutes =
  | "getAuthorization"
  | "beginAuthorization"
  | "deleteAuthorization"
  | "completeAuthorization";

export function authorizationHandlers(services: Services): Pick<Handlers, AuthorizationRoutes> {
  const load = async () => (await import("./authorization-requests.ts")).authorizationRequests(services);
  return {
    getAuthorization: async (call) => (await load()).getAuthorization(call),
    beginAuthorization: async (call) => (await load()).beginAuthorization(call),
    deleteAuthorization: async (call) => (await load()).deleteAuthorization(call),
    async completeAuthorization(call) {
      const { settings } = services;
      if (settings.state === "closed") throw notConfigured(settings.reason);
      return (await load()).completeAuthorization(call);
    },
  };
}
