// The entry of every HTTP request. It refuses requests from pages of other origins first, then Hono calls the handler of the route.
// All thrown errors are turned into responses here.

import type { Context } from "hono";

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
import type { Handlers } from "./route/handler.ts";
import {
  allowedMethods,
  builtInRouteAt,
  createHono,
  registerRoutes,
  screened,
  withoutBody,
} from "./route/register-routes.ts";
import type { Bindings, RoutedHono } from "./route/register-routes.ts";
import { createServices } from "./services.ts";
import type { Services } from "./services.ts";
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

/** The HTTP application. */
export interface App {
  /** Answers a request. `env` is passed to the project's controllers. Never rejects. */
  fetch(request: Request, env?: Bindings, context?: ExecutionContext): Promise<Response>;
}

/** Builds the application. It reads no time and no random number before the first request, as the Workers platform requires. */
export function createApp(dependencies: AppDependencies): App {
  const services = createServices(dependencies);
  const { allowedOrigins, log } = services;
  const hono = createHono();
  hono.use(async ({ req }, next) => {
    services.authenticator.checkHost(req.raw);
    const upgrade = req.header("upgrade") !== undefined;
    if (upgrade && isForeign(req.raw, allowedOrigins))
      throw refuse("forbidden", "A page of another origin may not open this.");
    await next();
  });
  registerRoutes(hono, services, handlersOf(services, hono));
  hono.notFound((context) => answerUnmatched(services, context, hono));
  hono.onError((thrown, context) => thrownAnswer(thrown, { request: context.req.raw, log }));
  const answer: App["fetch"] = async (request, env, context) => {
    try {
      return await hono.fetch(request, env, context);
    } catch (thrown) {
      // Hono passes only instances of Error to `onError`, and a project's controller may throw any value.
      return thrownAnswer(thrown, { request, log });
    }
  };
  return {
    async fetch(request, env = {}, context) {
      const response = await answer(request, env, context);
      return readable(response, corsHeaders(request, allowedOrigins));
    },
  };
}

function handlersOf(services: Services, hono: RoutedHono): Handlers {
  return {
    ...healthHandlers(services),
    ...openApiHandlers(services),
    ...definitionHandlers(services),
    ...catalogHandlers(services),
    ...usageHandlers(services),
    ...toolResultHandlers(services),
    ...collectionHandlers(services),
    ...threadHandlers(services),
    ...admissionHandlers(services),
    ...queueHandlers(services),
    ...fileHandlers(services),
    ...searchHandlers(services),
    ...exportHandlers(services),
    ...streamHandlers(services),
    ...feedHandlers(services),
    ...ticketHandlers(services, (path) => builtInRouteAt(hono, path)),
  };
}

/** Responds to a request whose path has no route, or no route for its method. */
async function answerUnmatched(
  services: Services,
  context: Context<{ Bindings: Bindings }>,
  hono: RoutedHono,
): Promise<Response> {
  const { raw, path } = context.req;
  const allowed = allowedMethods(hono, path);
  const { pathname } = new URL(raw.url);
  // Pages contain no data, and a link cannot send a token, so pages need no credentials.
  if (allowed.length === 0 && wantsPage(raw, pathname)) {
    return withoutBody(raw, await servePage(raw, services.dependencies.assets));
  }
  // Redirects to the page of the API, unless the project has its own route at this address.
  if (allowed.length === 0 && pathname === "/api/docs") return emptyAnswer({ location: "/docs" }, 308);
  return screened(context, services, ({ method, url }) => {
    if (allowed.length === 0) throw refuse("route_not_found", `There is nothing at ${new URL(url).pathname}.`);
    const allow = allowed.join(", ");
    if (method === "OPTIONS") return emptyAnswer({ allow, ...preflightHeaders(allowed) });
    return errorAnswer(
      { code: "method_not_allowed", message: `${method} is not served here, only ${allow}.` },
      { allow },
    );
  });
}

/** Adds the headers that let a page of an allowed origin read the response. */
function readable(response: Response, cors: Record<string, string>): Response {
  if (response.status === 101 || Object.keys(cors).length === 0) return response;
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(cors)) {
    if (name === "vary") answer.headers.append(name, value);
    else answer.headers.set(name, value);
  }
  return answer;
}
