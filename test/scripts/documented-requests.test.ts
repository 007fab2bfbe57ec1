// The requests of the documents: in blocks with HTTP, in calls of curl, and in prose. Each has a method and a path of the route table, known
// fields in its query, and a body that the route's schema accepts.

import { readdirSync } from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";
import type { z } from "zod";

import { readRouteName } from "#compiler/route-pattern.ts";
import type { BuiltInRoute } from "#contract/built-in-route.ts";
import { routes } from "#contract/route.ts";
import { routeGroups } from "#dialect/route-groups.ts";

import { blocksOf, codeBlocks, documents, read, root, templateDocuments } from "./documents.ts";

interface DocumentedRequest {
  place: string;
  method: string;
  address: string;
  body?: string | undefined;
}

const everyRoute: readonly BuiltInRoute<string>[] = [
  ...Object.values(routes),
  ...Object.values(routeGroups).flatMap((group) => Object.values(group.routes)),
];

/** The routes of a project, by the paths of their files: those of the demos, and those that a document shows. */
const projectRoutes = [
  ...readdirSync(path.join(root, "agents/api"), { recursive: true, encoding: "utf8" }),
  ...codeBlocks.flatMap(({ text }) => /^\/\/ agents\/api\/(\S+)\n/.exec(text)?.[1] ?? []),
].flatMap((file) => {
  const route = readRouteName(file.replace(/\.ts$/, ""));
  return file.endsWith(".ts") && route.type === "route" ? [{ method: route.method, path: `/api${route.pattern}` }] : [];
});

/** The pattern of a documented path for a route: a segment of the route fits any text, and a placeholder fits any segment. */
function fits(route: string, documented: string): boolean {
  const wanted = route.split("/");
  const given = documented.replace(/^\/api\/~\//, "/api/").split("/");
  return wanted.every((segment, at) => {
    if (segment.startsWith("*")) return true;
    const text = given[at];
    if (text === undefined || (at === wanted.length - 1 && given.length > wanted.length)) return false;
    return segment.startsWith(":") ? text !== "" : segment === text;
  });
}

/** The names of the query's fields. */
function fieldsOf(schema: z.ZodType | undefined): ReadonlySet<string> {
  const { shape, in: input } = (schema?.def ?? {}) as { shape?: object; in?: z.ZodType };
  return input === undefined ? new Set(Object.keys(shape ?? {})) : fieldsOf(input);
}

/** What is wrong with a request; null for a correct one. */
function problemOf({ method, address, body }: DocumentedRequest): string | null {
  const [at = "", query = ""] = address.split("?");
  const found = everyRoute.filter((route) => fits(route.path, at));
  const route = found.find((each) => each.method === method);
  if (route === undefined) {
    const isOfProject = projectRoutes.some((each) => String(each.method) === method && fits(each.path, at));
    return isOfProject ? null : `no route ${method} ${at}`;
  }
  const fields = fieldsOf(route.query);
  const names = query.split("&").map((pair) => pair.split("=")[0] ?? "");
  const unknown = names.filter((name) => /^\w+$/.test(name) && !fields.has(name) && route.anyQuery !== true);
  if (unknown.length > 0) return `${method} ${at} has no query field ${unknown.join(", ")}`;
  if (body === undefined || !/^[{[]/.test(body.trim()) || /…|\$/.test(body)) return null;
  if (route.body === undefined) return route.raw === "request" ? null : `${method} ${at} has no body`;
  const { error } = route.body.safeParse(JSON.parse(body));
  const issues = error?.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`) ?? [];
  return issues.length === 0 ? null : `${method} ${at}: ${issues.join("; ")} in ${body}`;
}

/** The requests of a block whose first line is a method and a path. */
function httpRequests(document: string): DocumentedRequest[] {
  return blocksOf(document)
    .filter(({ info }) => /^http(?: |$)/.test(info))
    .map(({ line, text }) => {
      const [first = "", ...body] = text.split("\n");
      const [method = "", address = ""] = first.split(" ");
      return { place: `${document}:${String(line)}`, method, address, body: body.join("\n") };
    });
}

/** The calls of curl to a local server or to a deployment of the reader. */
function curlRequests(document: string): DocumentedRequest[] {
  return blocksOf(document)
    .filter(({ info }) => /^sh(?: |$)/.test(info))
    .flatMap(({ line, text }) =>
      [...text.replaceAll("\\\n", " ").matchAll(/\bcurl\b(?<rest>(?:'[^']*'|"[^"]*"|[^|;&\n'"])*)/g)].flatMap(
        ({ groups }) => {
          const rest = groups?.["rest"] ?? "";
          const address = /(?:https?:\/\/|\blocalhost:\d+|\$\w+)[^/\s"']*(?<path>\/(?:api|mcp)\b[^\s"')]*)/.exec(rest)
            ?.groups?.["path"];
          if (address === undefined) return [];
          const body = /(?:\s-d|--data(?:-raw)?)\s+'(?<body>(?:[^']|'\\'')*)'(?=[\s);|&]|$)/
            .exec(rest)
            ?.groups?.["body"]?.replaceAll("'\\''", "'");
          const hasBody = /\s(?:-d|--data|--json|-F)\b/.test(rest);
          const isUpload = /\s-T\b/.test(rest);
          const method =
            /-X\s*(?<method>[A-Z]+)/.exec(rest)?.groups?.["method"] ?? (isUpload ? "PUT" : hasBody ? "POST" : "GET");
          return [{ place: `${document}:${String(line)}`, method, address, body }];
        },
      ),
    );
}

/** The requests that prose names, such as `GET /api/threads`. */
function namedRequests(document: string): DocumentedRequest[] {
  const named = /`(?<method>GET|POST|PUT|PATCH|DELETE) (?<address>\/(?:api|mcp)\b[^`\s]*)/g;
  return [...read(document).matchAll(named)].map(({ groups }) => ({
    place: document,
    method: groups?.["method"] ?? "",
    address: groups?.["address"] ?? "",
  }));
}

it("Every request of a document has a route, and its query and its body have the fields of that route", () => {
  const current = [...documents, ...templateDocuments].filter((document) => document !== "CHANGELOG.md");
  const [blocks, calls, named] = [httpRequests, curlRequests, namedRequests].map((find) => current.flatMap(find));
  expect(blocks?.length).toBeGreaterThan(0);
  expect(calls?.length).toBeGreaterThan(20);
  expect(named?.length).toBeGreaterThan(80);
  const problems = [...(blocks ?? []), ...(calls ?? []), ...(named ?? [])].flatMap((request) => {
    const problem = problemOf(request);
    return problem === null ? [] : [`${request.place}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

it.each([
  ["GET", "/api/thread", undefined],
  ["PUT", "/api/threads/:id", undefined],
  ["GET", "/api/threads?sort=old", undefined],
  ["POST", "/api/threads", '{"agent": "support"}'],
])("The documented request %s %s %s is found to be wrong", (method, address, body) => {
  expect(problemOf({ place: "", method, address, body })).not.toBeNull();
});
