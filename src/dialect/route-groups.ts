// The routes of all dialects, without their handlers. The build of a project (`src/compiler`) reads them as well, to warn about a project's
// route that replaces one of them.

import { aiSdkGroup } from "./ai-sdk/routes.ts";
import { mcpGroup } from "./mcp/routes.ts";
import { sessionGroup } from "./session/routes.ts";

/** Each dialect's routes, by the name of its folder. */
export const routeGroups = { session: sessionGroup, "ai-sdk": aiSdkGroup, mcp: mcpGroup } as const;
