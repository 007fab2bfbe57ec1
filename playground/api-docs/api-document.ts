// Reads the deployment's OpenAPI document for the page: routes by group, each with its parameters, bodies and responses. Unknown
// fields are ignored.

import type { Json, JsonObject } from "threadhold/client";

import { fieldsOf, listOf, textOf } from "../kit/json-value.ts";

/** A parameter of a path, a query or a header. */
export interface Parameter {
  name: string;
  place: string;
  required: boolean;
  description: string | null;
  schema: JsonObject;
}

/** The body of a request or a response: its media types, and the schema if it is JSON. */
export interface Content {
  types: readonly string[];
  schema: JsonObject | null;
}

/** A response by its status, or `default`. */
interface RouteResponse extends Content {
  status: string;
  description: string;
}

export interface ApiRoute {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Whether credentials are needed. */
  guarded: boolean;
  parameters: readonly Parameter[];
  body: (Content & { required: boolean }) | null;
  responses: readonly RouteResponse[];
}

/** A group of routes. */
export interface ApiGroup {
  name: string;
  description: string;
  routes: readonly ApiRoute[];
}

/** The OpenAPI document in the form that the page shows. */
export interface ApiDocument {
  title: string;
  version: string;
  description: string;
  groups: readonly ApiGroup[];
  /** The whole document, in which references of schemas are resolved. */
  root: JsonObject;
}

/** Reads the document. */
export function readApiDocument(root: JsonObject): ApiDocument {
  const info = fieldsOf(root["info"]);
  const routes = Object.entries(fieldsOf(root["paths"])).flatMap(([path, methods]) =>
    Object.entries(fieldsOf(methods)).map(([method, operation]) => routeOf(path, method, fieldsOf(operation))),
  );
  const groups = listOf(root["tags"]).map((tag): ApiGroup => {
    const { name, description } = fieldsOf(tag);
    const own = routes.filter(({ tags }) => tags.includes(stringOf(name)));
    return { name: stringOf(name), description: stringOf(description), routes: own.map(({ route }) => route) };
  });
  return {
    title: stringOf(info["title"]),
    version: stringOf(info["version"]),
    description: stringOf(info["description"]),
    groups: groups.filter((group) => group.routes.length > 0),
    root,
  };
}

/** The routes whose path, summary or name contains every word of the filter; groups without such a route are left out. */
export function filteredGroups(groups: readonly ApiGroup[], filter: string): ApiGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group) => {
      const routes = group.routes.filter(({ id, method, path, summary }) => {
        const text = `${id} ${method} ${path} ${summary} ${group.name}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      return { ...group, routes };
    })
    .filter(({ routes }) => routes.length > 0);
}

/** A curl command for the route of the API at the address `api`. Values to replace are in capitals; a body has the required fields. */
export function curlOf(route: ApiRoute, root: JsonObject, api: string): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const parts = [`curl${route.method === "GET" ? "" : ` -X ${route.method}`} ${api}${path}`];
  if (route.guarded) parts.push(`-H "authorization: Bearer $TOKEN"`);
  const { body } = route;
  if (body?.schema != null) {
    parts.push(`-H 'content-type: application/json'`, `-d '${JSON.stringify(exampleOf(body.schema, root))}'`);
  } else if (body !== null) parts.push("--data-binary @FILE");
  return parts.join(" \\\n  ");
}

/**
 * An example for a schema: its constant, its default or its first option. Without these, a string is the placeholder `…`, which has to be
 * replaced; a list has one element, and an object its required fields.
 */
export function exampleOf(schema: Json | undefined, root: JsonObject, depth = 0): Json {
  const target = resolved(schema, root);
  if (target["const"] !== undefined) return target["const"];
  if (target["default"] !== undefined) return target["default"];
  const [first] = listOf(target["enum"]);
  if (first !== undefined) return first;
  const [option] = [...listOf(target["anyOf"]), ...listOf(target["oneOf"])];
  if (option !== undefined) return exampleOf(option, root, depth + 1);
  const type = Array.isArray(target["type"]) ? target["type"][0] : target["type"];
  switch (type) {
    case "string":
      return "…";
    case "integer":
    case "number":
      return typeof target["minimum"] === "number" ? Math.max(1, target["minimum"]) : 1;
    case "boolean":
      return true;
    case "array":
      return depth > 6 || target["items"] === undefined ? [] : [exampleOf(target["items"], root, depth + 1)];
    default: {
      const properties = fieldsOf(target["properties"]);
      const required = depth > 6 ? [] : listOf(target["required"]).map(stringOf);
      // A body without required fields gets one field, because a change without any field has no effect.
      const given = required.length > 0 || depth > 0 ? required : Object.keys(properties).slice(0, 1);
      return Object.fromEntries(given.map((name) => [name, exampleOf(properties[name], root, depth + 1)]));
    }
  }
}

/** The schema that a reference leads to; a schema without a reference stays unchanged. */
function resolved(schema: Json | undefined, root: JsonObject): JsonObject {
  let target = fieldsOf(schema);
  for (let steps = 0; typeof target["$ref"] === "string" && steps < 20; steps += 1) {
    const names = target["$ref"].replace(/^#\//, "").split("/");
    target = names.reduce((at, name) => fieldsOf(at[name]), root);
  }
  return target;
}

function routeOf(path: string, method: string, operation: JsonObject): { route: ApiRoute; tags: string[] } {
  const body = operation["requestBody"] === undefined ? null : fieldsOf(operation["requestBody"]);
  const route: ApiRoute = {
    id: stringOf(operation["operationId"]),
    method: method.toUpperCase(),
    path,
    summary: stringOf(operation["summary"]),
    guarded: !(Array.isArray(operation["security"]) && operation["security"].length === 0),
    parameters: listOf(operation["parameters"]).map(parameterOf),
    body: body === null ? null : { ...contentOf(body["content"]), required: body["required"] === true },
    responses: Object.entries(fieldsOf(operation["responses"])).map(([status, value]) => {
      const response = fieldsOf(value);
      return { status, description: stringOf(response["description"]), ...contentOf(response["content"]) };
    }),
  };
  return { route, tags: listOf(operation["tags"]).map(stringOf) };
}

function parameterOf(value: Json): Parameter {
  const { name, in: place, required, description, schema } = fieldsOf(value);
  return {
    name: stringOf(name),
    place: stringOf(place),
    required: required === true,
    description: typeof description === "string" ? description : null,
    schema: fieldsOf(schema),
  };
}

function contentOf(value: Json | undefined): Content {
  const content = fieldsOf(value);
  const json = content["application/json"];
  return { types: Object.keys(content), schema: json === undefined ? null : fieldsOf(fieldsOf(json)["schema"]) };
}

function stringOf(value: Json | undefined): string {
  return textOf(value) ?? "";
}
