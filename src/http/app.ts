// The entry of every HTTP request. It refuses requests from pages of other origins first, then Hono selects the route: one of the
// project, of the route table or of a dialect. All thrown errors are turned into responses here.

import { refuse } from "#contract/error.ts";
import { routeNames, routes } from "#contract/route.ts";
import type { BuiltInRoute, RouteName } from "#contract/route.ts";
import { compareRoutePatterns } from "#lib/route-order.ts";

import { errorAnswer, thrownAnswer } from "./answer/error-answer.ts";
import { emptyAnswer } from "./answer/json-answer.ts";
import { corsHeaders, isForeign, preflightHeaders } from "./auth/origin.ts";
import { catalogHandlers } from "./catalog/restore-handler.ts";
import { definitionHandlers } from "./definitions/definition-handlers.ts";
import type { AppDependencies } from "./dependencies.ts";
import { feedHandlers } from "./feed/feed-handler.ts";
import { healthHandlers } from "./health-handler.ts";
import { openApiHandlers } from "./openapi/open-api-handler.ts";
import { servePage, wantsPage } from "./page/serve-page.ts";
import { serveProjectRoute } from "./project/serve-project-route.ts";
import type { Handlers, Params, RouteHandler } from "./route/handler.ts";
import { allowedMethods, builtInPatterns, createHono, handlerAt, honoPath } from "./route/hono-path.ts";
import type { Bindings, RoutedContext, RoutedHono } from "./route/hono-path.ts";
import { serveBuiltIn } from "./route/serve-built-in.ts";
import { createServices } from "./services.ts";
import type { Services } from "./services.ts";
import { admissionHandlers, toolResultHandlers } from "./thread/admission-handlers.ts";
import { collectionHandlers } from "./thread/collection-handlers.ts";
import { exportHandlers } from "./thread/export-handlers.ts";
import { fileHandlers } from "./thread/file-handlers.ts";
import { queueHandlers } from "./thread/queue-handlers.ts";
import { searchHandlers } from "./thread/search-handlers.ts";
import { streamHandlers } from "./thread/stream-handlers.ts";
import { threadHandlers } from "./thread/thread-handlers.ts";
import { ticketHandlers } from "./thread/ticket-handler.ts";
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
  registerRoutes(hono, services);
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

/** The handlers of the route table. */
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
    ...ticketHandlers(services, (path) => nameOf(handlerAt(hono, path))),
  };
}

/** A request that was checked, with the values of its route's dynamic segments, decoded. */
interface Matched {
  request: Request;
  url: URL;
  params: Params;
  env: Bindings;
}

/** One method and pattern that Hono matches, and the function that responds. `name` is that of a route of the table. */
interface RegisteredRoute {
  method: string;
  pattern: string;
  name?: RouteName;
  serve: (matched: Matched) => Promise<Response>;
}

type AnyRoute = BuiltInRoute<string>;
type AnyHandler = RouteHandler<AnyRoute>;

/** Names of the routes of the table, by the functions that Hono calls for them. */
const names = new WeakMap<object, RouteName>();

function nameOf(handler: object | undefined): RouteName | undefined {
  return handler && names.get(handler);
}

/**
 * Registers all routes in the order in which they are tried: static before dynamic before catch-all, and the project's route before a
 * built-in one of the same pattern. A built-in route has a second pattern under `/api/~/`, which no route of the project can have.
 */
function registerRoutes(hono: RoutedHono, services: Services): void {
  const { registry, dialects } = services.dependencies;
  const handlers = handlersOf(services, hono);
  const ofProject = registry.routes.map((entry, index): RegisteredRoute => {
    const pattern = `/api${entry.pattern}`.replace(/\/$/, "");
    const serve = (matched: Matched) => serveProjectRoute(services, { ...matched, entry, index });
    return { method: entry.method, pattern, serve };
  });
  const ofTable = routeNames.flatMap((name) =>
    // A handler takes what its own row describes; the compiler cannot follow that through a name it does not know.
    builtIn(services, routes[name], handlers[name] as unknown as AnyHandler).map((route) => ({ ...route, name })),
  );
  const ofDialects = dialects.flatMap((dialect) => {
    const created = dialect.createHandlers(services);
    return Object.entries(dialect.routes).flatMap(([name, route]) => builtIn(services, route, created[name]));
  });
  const inOrder = [...ofProject, ...ofTable, ...ofDialects].toSorted((left, right) =>
    compareRoutePatterns(left.pattern, right.pattern),
  );
  for (const route of inOrder) register(hono, services, route);
}

/** A built-in route under its path and under its reserved path. */
function builtIn(services: Services, route: AnyRoute, handler: AnyHandler | undefined): RegisteredRoute[] {
  if (handler === undefined) throw new Error(`The route ${route.path} has no handler.`);
  const serve = (matched: Matched) => serveBuiltIn(services, { route, handler }, matched);
  return builtInPatterns(route.path).map((pattern) => ({ method: route.method, pattern, serve }));
}

function register(hono: RoutedHono, services: Services, { method, pattern, name, serve }: RegisteredRoute): void {
  const absent = /\*(\w+)\?$/.exec(pattern)?.[1];
  const empty = absent === undefined ? {} : { [absent]: "" };
  const handler = (context: RoutedContext): Promise<Response> =>
    screened(context, services, (request) => {
      const params = { ...empty, ...context.req.param() };
      return serve({ request, url: new URL(request.url), params, env: context.env });
    });
  if (name !== undefined) names.set(handler, name);
  hono.on(method, honoPath(pattern), handler);
}

/** Answers a request if the open loopback mode accepts it. */
async function screened(
  { req }: RoutedContext,
  { authenticator }: Services,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const request = authenticator.screen(req.raw);
  return request instanceof Response ? request : withoutBody(request, await answer(request));
}

/** The response to HEAD is the one to GET, with its body cancelled. */
async function withoutBody(request: Request, response: Response): Promise<Response> {
  if (request.method !== "HEAD" || response.body === null) return response;
  await response.body.cancel();
  return new Response(null, response);
}

/** Responds to a request whose path has no route, or no route for its method. */
async function answerUnmatched(services: Services, context: RoutedContext, hono: RoutedHono): Promise<Response> {
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
