// The app: one way in for every request. What comes from a foreign page is sorted out first, then the path finds its route,
// the route its handler; whatever is thrown on the way becomes an answer in one place.

import { Hono } from "hono";

import { refuse } from "#contract/error.ts";

import { errorAnswer, thrownAnswer } from "./answer/error-answer.ts";
import { emptyAnswer } from "./answer/json-answer.ts";
import { corsHeaders, isForeign, preflightHeaders } from "./auth/origin.ts";
import { catalogHandlers } from "./catalog/restore-handler.ts";
import { definitionHandlers } from "./definitions/definition-handlers.ts";
import type { AppDependencies } from "./dependencies.ts";
import { feedHandlers } from "./feed/feed-handler.ts";
import { healthHandlers } from "./health.ts";
import { openApiHandlers } from "./openapi/open-api-handler.ts";
import { servePage, wantsPage } from "./page/serve-page.ts";
import { serveProjectRoute } from "./project/serve-project-route.ts";
import type { Handlers } from "./route/handler.ts";
import { serveBuiltIn } from "./route/serve-built-in.ts";
import { createServices } from "./services.ts";
import type { Services } from "./services.ts";
import { sessionHandlers } from "./session/session-handlers.ts";
import { admissionHandlers } from "./thread/admission-handlers.ts";
import { collectionHandlers } from "./thread/collection-handlers.ts";
import { exportHandlers } from "./thread/export-handlers.ts";
import { fileHandlers } from "./thread/file-handlers.ts";
import { queueHandlers } from "./thread/queue-handlers.ts";
import { searchHandlers } from "./thread/search-handlers.ts";
import { streamHandlers } from "./thread/stream-handlers.ts";
import { threadHandlers } from "./thread/thread-handlers.ts";
import { ticketHandlers } from "./thread/ticket-handler.ts";
import { toolResultHandlers } from "./thread/tool-result-handler.ts";
import { usageHandlers } from "./usage/usage-handler.ts";

/** The bindings as a project's controllers get them. */
type Bindings = Record<string, unknown>;

/** What the Worker exports. */
export interface App {
  /** `env` is handed to the project's controllers. Never rejects. */
  fetch(request: Request, env?: Bindings, context?: ExecutionContext): Promise<Response>;
}

/** Builds the app. Reads no time and draws no random number until the first request. */
export function createApp(dependencies: AppDependencies): App {
  const services = createServices(dependencies);
  const { allowedOrigins, report } = services;
  const handlers = handlersOf(services);
  const hono = new Hono<{ Bindings: Bindings }>();
  hono.use(async ({ req }, next) => {
    services.authenticator.checkHost(req.raw);
    const upgrade = req.header("upgrade") !== undefined;
    if (upgrade && isForeign(req.raw, allowedOrigins))
      throw refuse("forbidden", "A page of another origin may not open this.");
    await next();
  });
  hono.all("*", async (context) => {
    const request = context.req.raw;
    return withoutBody(request, await dispatch(services, handlers, { request, env: context.env }));
  });
  hono.onError((thrown, context) => thrownAnswer(thrown, { request: context.req.raw, report }));
  const answer: App["fetch"] = async (request, env, context) => {
    try {
      return await hono.fetch(request, env, context);
    } catch (thrown) {
      // Hono handles errors only, and a project's controller may throw anything.
      return thrownAnswer(thrown, { request, report });
    }
  };
  return {
    async fetch(request, env = {}, context) {
      const response = await answer(request, env, context);
      return readable(response, corsHeaders(request, allowedOrigins));
    },
  };
}

function handlersOf(services: Services): Handlers {
  return {
    ...healthHandlers(services),
    ...openApiHandlers(),
    ...definitionHandlers(services),
    ...catalogHandlers(services),
    ...usageHandlers(services),
    ...toolResultHandlers(services),
    ...sessionHandlers(services),
    ...collectionHandlers(services),
    ...threadHandlers(services),
    ...admissionHandlers(services),
    ...queueHandlers(services),
    ...fileHandlers(services),
    ...searchHandlers(services),
    ...exportHandlers(services),
    ...streamHandlers(services),
    ...feedHandlers(services),
    ...ticketHandlers(services),
  };
}

/** A request on its way to a route. */
interface Incoming {
  request: Request;
  env: Bindings;
}

async function dispatch(services: Services, handlers: Handlers, { request: given, env }: Incoming): Promise<Response> {
  const { method } = given;
  const { pathname } = new URL(given.url);
  const { found, allowed } = services.table(method, pathname);
  // Pages hold no data and are opened by links, which carry no token, so they need no credentials.
  if (allowed.length === 0 && wantsPage(given, pathname)) return servePage(given, services.dependencies.assets);
  // Redirects to the page of the API, unless the project has its own route at this address.
  if (allowed.length === 0 && pathname === "/api/docs") return emptyAnswer({ location: "/docs" }, 308);
  const request = services.authenticator.screen(given);
  if (request instanceof Response) return request;
  const url = new URL(request.url);
  if (allowed.length === 0) {
    throw refuse("route_not_found", `There is nothing at ${url.pathname}.`);
  }
  if (request.method === "OPTIONS") return emptyAnswer({ allow: allowed.join(", "), ...preflightHeaders(allowed) });
  if (found === null) {
    const message = `${request.method} is not served here, only ${allowed.join(", ")}.`;
    return errorAnswer({ code: "method_not_allowed", message }, { allow: allowed.join(", ") });
  }
  const { target, params } = found;
  if (target.kind === "built_in") return serveBuiltIn(services, handlers, { name: target.name, request, url, params });
  return serveProjectRoute(services, { ...target, request, url, params, env });
}

/** The answer to HEAD: what GET would say, its body called off rather than left open. */
async function withoutBody(request: Request, response: Response): Promise<Response> {
  if (request.method !== "HEAD" || response.body === null) return response;
  await response.body.cancel();
  return new Response(null, response);
}

/** The answer with the headers that let a listed origin read it. */
function readable(response: Response, cors: Record<string, string>): Response {
  if (response.status === 101 || Object.keys(cors).length === 0) return response;
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(cors)) {
    if (name === "vary") answer.headers.append(name, value);
    else answer.headers.set(name, value);
  }
  return answer;
}
