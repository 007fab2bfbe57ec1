// The routes of sessions (agent API rework plan, "HTTP Transport Layer"). A session is a thread, shown in the messages
// and events of that plan.

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";
import { agentEventSchema } from "#contract/session/agent-event.ts";
import { executeRequestSchema } from "#contract/session/execute-request.ts";
import { sessionViewSchema } from "#contract/session/session-view.ts";

const mib = 1024 * 1024;

const sessionRoutes = {
  executeSession: {
    method: "POST",
    path: "/api/agent/execute",
    summary:
      "Gives a session a user's message, or results of its tools, and streams what follows as AgentEvents, each a `data:` " +
      "line; the header X-Session-Id says which session. A new session needs a context",
    tag: "sessions",
    access: "user",
    body: executeRequestSchema,
    bodyLimit: 8 * mib,
    plainBody: true,
    keyed: true,
    answers: { 200: null },
    stream: "negotiated",
  },
  getSession: {
    method: "GET",
    path: "/api/agent/session/:session_id",
    summary: "A session with all of its messages",
    tag: "sessions",
    access: "user",
    answers: { 200: sessionViewSchema },
  },
} as const satisfies Record<string, BuiltInRoute<"sessions">>;

export const sessionGroup = {
  name: "sessions",
  description:
    "Threads as sessions of the agent API: a client brings instructions, tools and messages, and follows AgentEvents.",
  routes: sessionRoutes,
  schemas: { AgentEvent: agentEventSchema },
} as const satisfies RouteGroup;
