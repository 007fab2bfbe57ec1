// GET /api/greeting: a controller, and an example of a route that needs no token.

import { defineController } from "threadhold";

export const access = "public";

export default defineController(({ agentNames }) => ({ hello: "world", agents: agentNames ?? [] }));
