// Builds the OpenAPI 3.1 document from the route table, which also validates requests, so that the two cannot differ.

import { z } from "zod";

import type { RouteGroup, RouteTag } from "#contract/built-in-route.ts";
import { bodyBounds } from "#contract/json.ts";
import { routes } from "#contract/route.ts";
import type { BuiltInRoute } from "#contract/route.ts";
import { packageVersion } from "#contract/version.ts";
import type { JsonSchema } from "#lib/json-schema.ts";

import { openApiComponents } from "./components.ts";
import type { Components } from "./components.ts";

type Part = Record<string, unknown>;
type AnyRoute = BuiltInRoute<string>;

/** Matches `:name`, and `*name` or `*name?` for the remaining path. Clients may send the slashes of that path unescaped or as `%2F`. */
const dynamicSegment = /[:*](\w+)\??/g;

const bounds =
  `A JSON body has at most ${String(bodyBounds.values)} values (413 too_large) ` +
  `and ${String(bodyBounds.depth)} levels of nesting (400 invalid_request).`;

/** The groups of routes, in the order of the document. */
const tags: Readonly<Record<RouteTag, string>> = {
  threads: "Durable conversations: create, list, change, delete, export and import them.",
  messages: "What was said in a thread. Posting a message starts a run.",
  runs: "Runs of a thread, what waits for one, and answers to calls that wait for a client or a person.",
  branches: "Earlier and other continuations of a conversation: the tree, and changes between branches.",
  events: "What happens in a thread, or in all threads of an owner, as a stream.",
  files: "Files of a thread.",
  logs: "What each request to a model and each tool call did and cost.",
  definitions: "Agents, prompts, models, tools, hooks and routes that the project defines.",
  service: "Health, this document, tickets, usage and the catalog.",
};

/** Returns the document of an API that is served under `prefix`. Its version is the package's; `/healthz` returns the deployment's. */
export function openApiDocument(dialects: readonly RouteGroup[], prefix: string): Part {
  const served = new Map<string, AnyRoute>([routes, ...dialects.map((one) => one.routes)].flatMap(Object.entries));
  const components = openApiComponents(
    served,
    dialects.flatMap(({ schemas = {} }) => Object.entries(schemas)),
  );
  const paths: Record<string, Part> = {};
  for (const [name, route] of served) {
    const path = route.path.replaceAll(dynamicSegment, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route, components) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Threadhold",
      version: packageVersion,
      description: `Durable AI-agent threads. Every route under /api/ is served under /api/~/ too. ${bounds}`,
    },
    servers: [{ url: prefix === "" ? "/" : prefix, description: "This deployment" }],
    tags: [
      ...Object.entries(tags).map(([name, description]) => ({ name, description })),
      ...dialects.map(({ name, description }) => ({ name, description })),
    ],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
    security: [{ bearer: [] }],
  };
}

function operation(name: string, route: AnyRoute, components: Components): Part {
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    ...(route.access === "public" ? { security: [] } : {}),
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body, components) }),
    ...(route.raw === "request" ? { requestBody: { required: true, content: rawContent(route) } } : {}),
    responses: responses(route, components),
  };
}

function pathParameters({ path }: AnyRoute): Part[] {
  return [...path.matchAll(dynamicSegment)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: AnyRoute): Part[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function headerParameters({ keyed, stream, requestHeaders = [] }: AnyRoute): Part[] {
  const text = { in: "header", required: false, schema: { type: "string" } };
  const key = { ...text, name: "Idempotency-Key", description: "The same key and body give the first answer again." };
  const last = { ...text, name: "Last-Event-ID", description: "Wins over `after`." };
  const named = requestHeaders.map((name) => ({ ...text, name }));
  return [...(keyed === true ? [key] : []), ...(stream === "events" ? [last] : []), ...named];
}

function requestBody({ bodyOptional }: AnyRoute, body: z.ZodType, components: Components): Part {
  return { required: bodyOptional !== true, content: jsonContent(components.referenceTo(body)) };
}

function rawContent({ rawType = "*/*" }: AnyRoute): Part {
  return { [rawType]: { schema: { type: "string", format: "binary" } } };
}

function jsonContent(schema: JsonSchema): Part {
  return { "application/json": { schema } };
}

function responses(route: AnyRoute, components: Components): Part {
  const { answers, stream, raw } = route;
  const all: Part = {};
  for (const [status, schema] of Object.entries(answers)) {
    const streamed = stream === "events" || ((stream === "negotiated" || stream === "either") && status === "200");
    const content = {
      ...(schema === null ? {} : jsonContent(components.referenceTo(schema))),
      ...(raw === "answer" && (status === "200" || status === "206") ? rawContent(route) : {}),
      ...(streamed ? { "text/event-stream": { schema: { type: "string" } } } : {}),
    };
    all[status] = { description: describe(status), ...(Object.keys(content).length === 0 ? {} : { content }) };
  }
  all["default"] = {
    description: "A refusal, with a code of the closed set.",
    content: jsonContent({ $ref: "#/components/schemas/Error" }),
  };
  return all;
}

function describe(status: string): string {
  const words: Record<string, string> = {
    "101": "The socket is open; frames are events as JSON.",
    "200": "Done.",
    "201": "Created.",
    "202": "Admitted durably; the run goes on by itself.",
    "204": "Done, nothing to say.",
    "206": "The bytes of the range.",
    "304": "The caller has these bytes already.",
  };
  return words[status] ?? "Done.";
}
