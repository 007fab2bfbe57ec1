// The page of the API reads the OpenAPI document that the deployment serves.

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#client/index.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import { curlOf, exampleOf, filteredGroups, readApiDocument } from "#playground/api-docs/api-document.ts";
import type { ApiRoute } from "#playground/api-docs/api-document.ts";

import { allRouteNames, allRoutes, dialectGroups } from "../support/all-routes.ts";

const root = openApiDocument(dialectGroups, "") as JsonObject;
const shown = readApiDocument(root);
const all = shown.groups.flatMap((group) => group.routes);
const route = (id: string): ApiRoute => {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${id} is not shown`);
  return found;
};

describe("the document of the API's page", () => {
  it("HTTP26 The version of the OpenAPI document is the version of the package", () => {
    const file = new URL("../../package.json", import.meta.url);
    expect(shown.version).toBe((JSON.parse(readFileSync(file, "utf8")) as { version: string }).version);
  });

  it("The API page shows every route once, with its responses, in a group with a description", () => {
    expect(all.map(({ id }) => id).toSorted()).toEqual(allRouteNames.toSorted());
    expect(shown.groups.filter(({ description }) => description === "")).toEqual([]);
    expect(all.filter(({ responses }) => responses.length < 2).map(({ id }) => id)).toEqual([]);
  });

  it("The API page has for a route its parameters, a reference to the schema of its body, and whether it needs credentials", () => {
    expect(route("listThreads").parameters).toContainEqual(
      expect.objectContaining({ name: "limit", place: "query", required: false }),
    );
    expect(route("createThread").body).toMatchObject({
      required: true,
      types: ["application/json"],
      schema: { $ref: "#/components/schemas/CreateThreadBody" },
    });
    expect([route("health").guarded, route("listThreads").guarded]).toEqual([false, true]);
  });

  it("The curl example of a route has the required parameters, and a body that the schema accepts unless a string has a pattern", () => {
    expect(curlOf(route("createThread"), root, "http://localhost:8787")).toBe(
      [
        "curl -X POST http://localhost:8787/api/threads",
        '-H "authorization: Bearer $TOKEN"',
        "-H 'content-type: application/json'",
        `-d '{"agent_id":"…"}'`,
      ].join(" \\\n  "),
    );
    expect(curlOf(route("health"), root, "http://x")).toBe("curl http://x/healthz");
    const refused = allRouteNames.filter((name) => {
      const { body } = allRoutes[name] as { body?: { safeParse: (value: unknown) => { success: boolean } } };
      const schema = route(name).body?.schema;
      return body !== undefined && schema != null && !body.safeParse(exampleOf(schema, root)).success;
    });
    expect(refused).toEqual(["createTicket", "restoreCatalog", "postToolResults"]);
  });

  it("The filter of the API page finds a route by its name and by several words, and an empty filter shows every route", () => {
    const ids = (filter: string): string[] =>
      filteredGroups(shown.groups, filter).flatMap((group) => group.routes.map(({ id }) => id));
    expect(ids("createThread")).toEqual(["createThread"]);
    expect(ids("delete files")).toEqual(["deleteFile"]);
    expect(ids("no such route")).toEqual([]);
    expect(ids("")).toHaveLength(allRouteNames.length);
  });
});
