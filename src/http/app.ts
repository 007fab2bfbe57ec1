// Finds the handler of every HTTP request. Upgrades from pages of other origins are refused first and, in the open loopback mode, requests
// whose host is not this machine. Then Hono selects the route: one of the project, of the built-in route table, or of a dialect (another
// project's protocol for the same threads). For a route of the table or of a dialect, the request is authenticated and validated as the
// route describes. All thrown errors become responses here.

import { z } from "zod";

import { refuse } from "#contract/error.ts";
import { defaultBodyLimit, routeNames, routes } from "#contract/route.ts";
import type { BuiltInRoute, RouteName } from "#contract/route.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { compareRoutePatterns } from "#lib/route-order.ts";
import { unreachable } from "#lib/unreachable.ts";
import { threadUuidText } from "#lib/uuid-text.ts";

import { errorAnswer, thrownAnswer } from "./answer/error-answer.ts";
import { emptyAnswer } from "./answer/json-answer.ts";
import { authenticateStream } from "./auth/authenticate-stream.ts";
import type { StreamCaller, StreamRequest } from "./auth/authenticate-stream.ts";
import { corsHeaders, isForeign, preflightHeaders } from "./auth/origin.ts";
import type { AppDependencies } from "./dependencies.ts";
import { parseInput, parseQuery } from "./input/parse-input.ts";
import { readJsonBody } from "./input/read-body.ts";
import { wantsSocket } from "./input/upgrade.ts";
import { docsAddress, servePage } from "./page/serve-page.ts";
import { serveProjectRoute } from "./project/serve-project-route.ts";
import { handlersOf } from "./route-handlers.ts";
import type { Params, RouteHandler } from "./route/handler.ts";
import { allowedMethods, builtInPatterns, createHono, handlerAt, honoPath } from "./route/hono-path.ts";
import type { Bindings, RoutedContext, RoutedHono } from "./route/hono-path.ts";
import { createServices } from "./services.ts";
import type { Services } from "./services.ts";

/** The HTTP application. */
export interface App {
  /** Answers a request. `env` is passed to the project's controllers. Never rejects. */
  fetch(request: Request, env?: Bindings, context?: ExecutionContext): Promise<Response>;
  /** Answers a request for a page of the playground outside of the prefix; null for every other request. Never rejects. */
  fetchPage(request: Request): Promise<Response | null>;
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
    async fetchPage(request) {
      try {
        const page = await servePage(request, new URL(request.url).pathname, dependencies);
        if (page === null) return null;
        services.authenticator.checkHost(request);
        return await withoutBody(request, page);
      } catch (thrown) {
        return thrownAnswer(thrown, { request, log });
      }
    },
  };
}

/** A request that leads to a route, with the values of the route's dynamic segments, decoded. */
interface Matched {
  request: Request;
  url: URL;
  params: Params;
}

/** One method and pattern that Hono matches, and the function that responds. `name` is the name of a route of the table. */
interface RegisteredRoute {
  method: string;
  pattern: string;
  name?: RouteName;
  serve: (matched: Matched, env: Bindings) => Promise<Response>;
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
  const handlers = handlersOf(services, (path) => nameOf(handlerAt(hono, path)));
  const ofProject = registry.routes.map((entry, index): RegisteredRoute => {
    const pattern = `/api${entry.pattern}`.replace(/\/$/, "");
    const serve: RegisteredRoute["serve"] = (matched, env) =>
      serveProjectRoute(services, { ...matched, env, entry, index });
    return { method: entry.method, pattern, serve };
  });
  const ofTable = routeNames.flatMap((name) =>
    // Each handler has the type of its route, but the compiler cannot infer that if the name is a variable.
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

/** Registers a built-in route under its path and under its reserved path. */
function builtIn(services: Services, route: AnyRoute, handler: AnyHandler | undefined): RegisteredRoute[] {
  if (handler === undefined) unreachable(`The route ${route.path} has no handler.`);
  const serve = (matched: Matched) => serveBuiltIn(services, { route, handler }, matched);
  return builtInPatterns(route.path).map((pattern) => ({ method: route.method, pattern, serve }));
}

function register(hono: RoutedHono, services: Services, { method, pattern, name, serve }: RegisteredRoute): void {
  const absent = /\*(\w+)\?$/.exec(pattern)?.[1];
  const empty = absent === undefined ? {} : { [absent]: "" };
  const handler = (context: RoutedContext): Promise<Response> =>
    screened(context, services, (request) => {
      const params = { ...empty, ...context.req.param() };
      return serve({ request, url: new URL(request.url), params }, context.env);
    });
  if (name !== undefined) names.set(handler, name);
  hono.on(method, honoPath(pattern), handler);
}

const noFields = z.object({}).strict();
const anonymous: Caller = Object.freeze({ user: null, admin: false });

/** Authenticates and validates a request, and calls the handler. Throws to refuse. */
async function serveBuiltIn(
  services: Services,
  { route, handler }: { route: AnyRoute; handler: AnyHandler },
  { request, url, params: given }: Matched,
): Promise<Response> {
  if (route.stream === "socket" && !wantsSocket(request)) {
    throw refuse("upgrade_required", "This route is a WebSocket.");
  }
  if (route.ownPages === true && isForeign(request, services.allowedOrigins)) {
    throw refuse("forbidden", "A page of another origin may not call this. ALLOWED_ORIGINS lists those that may.");
  }
  const params = await checkThreadId(services, request, given);
  const { caller, cookie } = await callerOf(services, route, { request, url, params });
  const query = route.anyQuery === true ? undefined : parseQuery(route.query ?? noFields, url.searchParams);
  const body = route.body === undefined ? undefined : await readBody(route, route.body, request);
  // The values have the types of the route's schemas, but the compiler cannot infer that if the route is a variable.
  const call = {
    request: endingRequest(services, route, { request, caller }),
    url,
    caller: tracedCaller(request, caller),
    params,
    query: route.query && query,
    body,
    headOnly: request.method === "HEAD",
  } as unknown as Parameters<AnyHandler>[0];
  const response = await handler(call);
  if (cookie !== null && response.status === 200) response.headers.append("set-cookie", cookie);
  return response;
}

/** Returns the dynamic segments, with the thread's id in canonical form. Refuses a text that is not a thread id. */
async function checkThreadId({ authenticator }: Services, request: Request, params: Params): Promise<Params> {
  const id = params["id"];
  if (id === undefined) return params;
  const known = threadUuidText(id);
  if (known !== null) return { ...params, id: known };
  await authenticator.authenticate(request);
  throw refuse("thread_not_found", "There is no such thread.");
}

async function callerOf(services: Services, route: AnyRoute, { request, url, params }: Matched): Promise<StreamCaller> {
  const { authenticator, tickets, dependencies } = services;
  if (route.access === "public") return { caller: anonymous, cookie: null };
  if (route.stream === undefined || route.stream === "negotiated") {
    const caller = await authenticator.authenticate(request);
    if (route.access === "admin" && !caller.admin) throw refuse("forbidden", "This route is for administrators.");
    return { caller, cookie: null };
  }
  const { id } = params;
  // A ticket for a feed is redeemed by the feed object of the ticket's user. If the feed object of the user in the query redeemed it, a
  // ticket could be used once for each user.
  const redeemer: StreamRequest["redeemer"] = ({ user }) =>
    id === undefined ? dependencies.feeds(user) : dependencies.threads(id);
  const passes = route.stream === "events" || (route.stream === "either" && !wantsSocket(request));
  return authenticateStream({ request, url, redeemer, passes }, { authenticator, tickets, now: dependencies.now });
}

/** A longer `traceparent` is ignored. Version 00 of the header has 55 characters; later versions may append fields. */
const longestTraceparent = 200;

/** The caller with the request's `traceparent` header, which continues a trace of the client. */
function tracedCaller({ headers }: Request, caller: Caller): Caller {
  const trace = headers.get("traceparent");
  return trace === null || trace.length > longestTraceparent ? caller : { ...caller, trace };
}

/** The request of a stream with a signal that also fires when the caller's credentials expire, as if the client had disconnected. */
function endingRequest(
  { ports, dependencies }: Services,
  { stream }: AnyRoute,
  { request, caller: { until } }: { request: Request; caller: Caller },
): Request {
  if (until === undefined || stream === undefined || stream === "negotiated" || wantsSocket(request)) return request;
  const end = new AbortController();
  ports.timers.after((until - dependencies.now()) / 1000, () => end.abort());
  return new Request(request, { signal: AbortSignal.any([request.signal, end.signal]) });
}

async function readBody(route: AnyRoute, schema: z.ZodType, request: Request): Promise<unknown> {
  const { bodyLimit: limit = defaultBodyLimit, bodyOptional: optional = false, plainBody: plain = false } = route;
  const isUnchecked = route.uncheckedBody ?? (() => false);
  return parseInput(schema, await readJsonBody(request, { limit, optional, plain, isUnchecked }));
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
  const { dependencies } = services;
  const { raw, path } = context.req;
  const allowed = allowedMethods(hono, path);
  const { pathname } = new URL(raw.url);
  if (allowed.length === 0) {
    // Pages contain no data, and a link cannot send a token, so pages need no credentials.
    const page = await servePage(raw, `${dependencies.prefix}${pathname}`, dependencies);
    if (page !== null) return withoutBody(raw, page);
    // Redirects to the page of the API, unless the project has its own route at this address.
    const docs = pathname === "/api/docs" ? docsAddress(dependencies) : null;
    if (docs !== null) return emptyAnswer({ location: docs }, 308);
  }
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
