// The dialects that a deployment serves.

import { defineDialects } from "#http/dialect.ts";

import { aiSdkHandlers } from "./ai-sdk/handlers.ts";
import { routeGroups } from "./route-groups.ts";
import { sessionHandlers } from "./session/handlers.ts";

/** All of them. The compiler refuses a route group without handlers. */
export const dialects = defineDialects(routeGroups, { session: sessionHandlers, "ai-sdk": aiSdkHandlers });
