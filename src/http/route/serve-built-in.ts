// A request of a built-in route on its way to the handler: who calls, which thread, does it have the form the table says.

import { z } from "zod";

import { refuse } from "#contract/error.ts";
import { defaultBodyLimit } from "#contract/route.ts";
import type { BuiltInRoute } from "#contract/route.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { threadUuidText } from "#lib/uuid-text.ts";

import { authenticateStream } from "../auth/authenticate-stream.ts";
import type { StreamCaller, StreamRequest } from "../auth/authenticate-stream.ts";
import { invalidField } from "../input/field-error.ts";
import { parseInput } from "../input/parse-input.ts";
import { readJsonBody } from "../input/read-body.ts";
import { wantsSocket } from "../input/upgrade.ts";
import type { Services } from "../services.ts";
import type { Params, RouteCall, RouteHandler } from "./handler.ts";

/** A request that leads to a built-in route. */
interface MatchedRequest {
  request: Request;
  url: URL;
  params: Params;
}

type Route = BuiltInRoute<string>;

const noFields = z.object({}).strict();
const nobody: Caller = Object.freeze({ user: null, admin: false });

/** The answer. Throws to refuse. */
export async function serveBuiltIn<R extends Route>(
  services: Services,
  row: { route: R; handler: RouteHandler<R> },
  { request, url, params: given }: MatchedRequest,
): Promise<Response> {
  const route: Route = row.route;
  if (route.stream === "socket" && !wantsSocket(request)) {
    throw refuse("upgrade_required", "This route is a WebSocket.");
  }
  const params = await checkThreadId(services, request, given);
  const { caller, cookie } = await callerOf(services, route, { request, url, params });
  const query = parseInput(route.query ?? noFields, readQuery(url.searchParams));
  const body = route.body === undefined ? undefined : await readBody(route, route.body, request);
  const headOnly = request.method === "HEAD";
  // The row types what each of its schemas gives; the compiler cannot follow it through a row it does not know.
  const call = {
    request: endingRequest(services, route, { request, caller }),
    url,
    caller,
    params,
    query: route.query && query,
    body,
    headOnly,
  } as unknown as RouteCall<R>;
  const response = await row.handler(call);
  if (cookie !== null && response.status === 200) response.headers.append("set-cookie", cookie);
  return response;
}

/** The dynamic segments with the thread's id in the one form it has. Whatever can be none is refused here. */
async function checkThreadId({ authenticator }: Services, request: Request, params: Params): Promise<Params> {
  const id = params["id"];
  if (id === undefined) return params;
  const known = threadUuidText(id);
  if (known !== null) return { ...params, id: known };
  await authenticator.authenticate(request);
  throw refuse("thread_not_found", "There is no such thread.");
}

async function callerOf(services: Services, route: Route, incoming: MatchedRequest): Promise<StreamCaller> {
  const { authenticator, tickets, dependencies } = services;
  const { request, url, params } = incoming;
  if (route.access === "public") return { caller: nobody, cookie: null };
  if (route.stream === undefined || route.stream === "negotiated") {
    const caller = await authenticator.authenticate(request);
    if (route.access === "admin" && !caller.admin) throw refuse("forbidden", "This route is for administrators.");
    return { caller, cookie: null };
  }
  const { id } = params;
  // The feed of the ticket's own user, not of the one that the query names: there are many of those.
  const redeemer: StreamRequest["redeemer"] = ({ user }) =>
    id === undefined ? dependencies.feeds(user) : dependencies.threads(id);
  const passes = route.stream === "events" || (route.stream === "either" && !wantsSocket(request));
  return authenticateStream({ request, url, redeemer, passes }, { authenticator, tickets, now: dependencies.now });
}

/** The request of a stream with a signal that also fires when the caller's credentials expire, as if the client had left. */
function endingRequest(
  { ports, dependencies }: Services,
  { stream }: Route,
  { request, caller: { until } }: { request: Request; caller: Caller },
): Request {
  if (until === undefined || stream === undefined || stream === "negotiated" || wantsSocket(request)) return request;
  const end = new AbortController();
  ports.timers.after((until - dependencies.now()) / 1000, () => end.abort());
  return new Request(request, { signal: AbortSignal.any([request.signal, end.signal]) });
}

async function readBody(route: Route, schema: z.ZodType, request: Request): Promise<unknown> {
  const { bodyLimit: limit = defaultBodyLimit, bodyOptional: optional = false, plainBody: plain = false } = route;
  const rule = { limit, optional, plain };
  return parseInput(schema, await readJsonBody(request, rule));
}

/** The query as an object for a schema. Throws `invalid_request` for a repeated name and for `__proto__`. */
function readQuery(parameters: URLSearchParams): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw invalidField(name, "Given more than once");
    if (name === "__proto__") throw invalidField(name, "Not a name a field can have");
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
