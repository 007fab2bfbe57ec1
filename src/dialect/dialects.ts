// The dialects that a deployment serves.

import { defineDialects } from "#http/dialect.ts";

import { aiSdkHandlers } from "./ai-sdk/handlers.ts";
import { mcpHandlers } from "./mcp/handlers.ts";
import { routeGroups } from "./route-groups.ts";
import { sessionHandlers } from "./session/handlers.ts";

/** The handlers of all dialects. Each route group needs its handlers, or this file does not compile. */
export const dialects = defineDialects(routeGroups, {
  session: sessionHandlers,
  "ai-sdk": aiSdkHandlers,
  mcp: mcpHandlers,
});
