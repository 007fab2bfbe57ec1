// A shop with routes and files of its own. It serves threads under /agents for users who are signed in.
import { Hono } from "hono";
import { createThreadhold, type ThreadholdBindings } from "threadhold/worker";

import { diagnostics } from "../.threadhold/diagnostics.ts";
import { registry } from "../.threadhold/registry.ts";
import { startSession, userOfSession } from "./session.ts";

interface Bindings extends ThreadholdBindings {
  SESSION_SECRET: string;
}

const threadhold = createThreadhold(registry, {
  diagnostics,
  prefix: "/agents",
  async authenticate(request, env) {
    const user = await userOfSession(request, (env as Bindings).SESSION_SECRET);
    return user === null ? null : { user: user.name, role: user.isOperator ? "admin" : "user" };
  },
});

export const { ThreadObject, ThreadFeed } = threadhold;

const app = new Hono<{ Bindings: Bindings }>();

app.get("/", (context) => context.text("My shop"));

// A real shop checks a password here.
app.post("/sign-in", async (context) => {
  const { name } = await context.req.json<{ name: string }>();
  const cookie = await startSession({ name, isOperator: name === "operator" }, context.env.SESSION_SECRET);
  return context.body(null, 204, { "set-cookie": cookie });
});

// A page of the shop may use the same threads: the request has the cookie of the customer, so the list is the customer's.
app.get("/my-questions", async ({ req, env, executionCtx, json }) => {
  const request = new Request(new URL("/agents/api/threads", req.url), { headers: req.raw.headers });
  const response = await threadhold.fetch(request, env, executionCtx);
  if (!response.ok) return json({ questions: [] }, 401);
  const { threads } = await response.json<{ threads: { id: string; title: string | null }[] }>();
  return json({ questions: threads.map(({ id, title }) => ({ id, title })) });
});

app.all("/agents/*", ({ req, env, executionCtx }) => threadhold.fetch(req.raw, env, executionCtx));

export default app;
