// The list of the handlers of the route table, by topic. The compiler refuses a route without a handler.

import type { RouteName } from "#contract/route.ts";

import { authorizationHandlers } from "./authorization/authorization-handlers.ts";
import { catalogHandlers } from "./catalog/restore-handler.ts";
import { definitionHandlers } from "./definitions/definition-handlers.ts";
import { feedHandlers } from "./feed/feed-handler.ts";
import { healthHandlers } from "./health-handler.ts";
import { openApiHandlers } from "./openapi/open-api-handler.ts";
import type { Handlers } from "./route/handler.ts";
import type { Services } from "./services.ts";
import { admissionHandlers, toolResultHandlers } from "./thread/admission-handlers.ts";
import { branchHandlers } from "./thread/branch-handlers.ts";
import { collectionHandlers } from "./thread/collection-handlers.ts";
import { exportHandlers } from "./thread/export-handlers.ts";
import { fileHandlers } from "./thread/file-handlers.ts";
import { queueHandlers } from "./thread/queue-handlers.ts";
import { searchHandlers } from "./thread/search-handlers.ts";
import { streamHandlers } from "./thread/stream-handlers.ts";
import { threadHandlers } from "./thread/thread-handlers.ts";
import { ticketHandlers } from "./thread/ticket-handler.ts";
import { usageHandlers } from "./usage/usage-handler.ts";

/** The handlers of the routes of the table. `routeAt` returns the name of the route at a path; the handler for tickets needs it. */
export function handlersOf(services: Services, routeAt: (path: string) => RouteName | undefined): Handlers {
  return {
    ...healthHandlers(services),
    ...openApiHandlers(services),
    ...definitionHandlers(services),
    ...authorizationHandlers(services),
    ...catalogHandlers(services),
    ...usageHandlers(services),
    ...toolResultHandlers(services),
    ...collectionHandlers(services),
    ...threadHandlers(services),
    ...admissionHandlers(services),
    ...branchHandlers(services),
    ...queueHandlers(services),
    ...fileHandlers(services),
    ...searchHandlers(services),
    ...exportHandlers(services),
    ...streamHandlers(services),
    ...feedHandlers(services),
    ...ticketHandlers(services, routeAt),
  };
}
