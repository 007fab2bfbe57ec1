// The routes of sessions, as rows of the one route table (agent API rework plan, "HTTP Transport Layer").

import type { BuiltInRoute } from "./built-in-route.ts";
import { executeRequestSchema } from "./session/execute-request.ts";
import { sessionViewSchema } from "./session/session-view.ts";

const mib = 1024 * 1024;

/** The rows. */
export const sessionRoutes = {
  executeSession: {
    method: "POST",
    path: "/api/agent/execute",
    summary:
      "Gives a session a user's message, or results of its tools, and streams what follows as AgentEvents, each a `data:` " +
      "line; the header X-Session-Id says which session. A new session needs a context",
    tag: "runs",
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
    tag: "threads",
    access: "user",
    answers: { 200: sessionViewSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
