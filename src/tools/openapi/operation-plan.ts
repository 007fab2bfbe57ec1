// How the arguments of an operation become a request: the parameters, the body, and the schema of the arguments that a model receives.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { listOf, objectAt, textOf } from "./api-document.ts";
import { argumentSchemas } from "./argument-schema.ts";
import { bodyOf } from "./body-plan.ts";
import type { BodyPlan } from "./body-plan.ts";
import type { Operation } from "./operation.ts";
import { wholeSchema, type WholeArgument } from "./whole-schema.ts";

/** A parameter of an operation. */
export interface ParameterPlan {
  /** The name of the argument. */
  key: string;
  /** The name in the request. */
  name: string;
  in: "path" | "query" | "header" | "cookie";
  style: string;
  explode: boolean;
  /** Whether reserved characters are not encoded. */
  allowReserved: boolean;
  /** Whether the value is written as JSON. */
  isJson: boolean;
}

/** How the requests of an operation are built from the arguments of a call. */
export interface OperationPlan {
  parameters: readonly ParameterPlan[];
  body: BodyPlan | null;
  /** The schema of the arguments that a model receives. */
  schema: JsonObject;
  /** Returns the schema of the arguments as the document states it. It is made for each call, because it may be large. */
  whole: () => JsonObject;
}

/** Headers that the document cannot set: those that OpenAPI ignores, and those that control the transfer or carry credentials. */
const ignoredHeaders =
  /^(?:accept|content-type|authorization|cookie|host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|sec-.*|cf-.*|x-forwarded-.*)$/i;

const defaultStyles = { path: "simple", query: "form", header: "simple", cookie: "form" };

/** A parameter of an operation, with its object in the document (`source`). */
interface Found {
  source: JsonObject;
  name: string;
  in: ParameterPlan["in"];
  isRequired: boolean;
}

/** Plans the requests of an operation. */
export function planOf(document: JsonObject, operation: Operation, options: { cookies: boolean }): OperationPlan {
  const found = parametersOf(document, operation, options);
  const keys = new Map<string, Found>();
  for (const parameter of found) keys.set(freeKey(keys, parameter), parameter);
  const hasBody = operation.method !== "GET" && operation.method !== "HEAD";
  const body = hasBody ? bodyOf(document, operation.source, (key) => keys.has(key)) : null;
  const schemas = [...keys.values()].map(({ source }) => source["schema"] ?? contentSchema(source));
  const read = argumentSchemas(
    document,
    [...keys.values()].map(({ source }, at) => ({ schema: schemas[at], description: textOf(source["description"]) })),
  );
  const properties = [...keys.keys()].map((key, index): [string, JsonObject] => [key, read[index] ?? {}]);
  if (body !== null) {
    // The schema of the body is read separately, so that a large one does not shorten the schemas of the parameters.
    const [schema = {}] = argumentSchemas(document, [{ schema: body.schema, description: body.description }]);
    properties.push([body.plan.key, body.adapt(schema)]);
  }
  const required = [...keys].flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
  if (body?.isRequired === true) required.push(body.plan.key);
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
  const stated = [...keys.keys()].map((key, at): WholeArgument => ({ key, schema: schemas[at] }));
  if (body !== null) stated.push({ key: body.plan.key, schema: body.schema, adapt: body.adapt });
  return {
    parameters: [...keys].map(([key, parameter]) => parameterPlan(key, parameter)),
    body: body?.plan ?? null,
    schema,
    whole: () => wholeSchema(document, stated, schema),
  };
}

function parametersOf(document: JsonObject, operation: Operation, { cookies }: { cookies: boolean }): Found[] {
  const found = new Map<string, Found>();
  for (const given of [...listOf(operation.pathItem["parameters"]), ...listOf(operation.source["parameters"])]) {
    const source = objectAt(document, given);
    const [name, place] = [textOf(source?.["name"]), textOf(source?.["in"])];
    if (source === null || name === undefined || !isPlace(place)) continue;
    const isIgnored =
      (place === "cookie" && !cookies) ||
      (place === "header" && ignoredHeaders.test(name)) ||
      (place === "path" && !operation.path.includes(`{${name}}`));
    if (isIgnored) continue;
    // A parameter of the operation replaces that of its path.
    found.set(`${place} ${name}`, {
      source,
      name,
      in: place,
      isRequired: place === "path" || source["required"] === true,
    });
  }
  // A variable of the path that no parameter describes.
  for (const [, name = ""] of operation.path.matchAll(/\{([^{}]+)\}/g)) {
    if (found.has(`path ${name}`)) continue;
    found.set(`path ${name}`, { source: { schema: { type: "string" } }, name, in: "path", isRequired: true });
  }
  return [...found.values()];
}

function isPlace(text: string | undefined): text is ParameterPlan["in"] {
  return text === "path" || text === "query" || text === "header" || text === "cookie";
}

/** The longest name of an argument that every provider accepts. */
const keyLength = 64;

/** The name of an argument: that of the parameter, with the characters that providers accept, and with its place if it exists already. */
function freeKey(taken: ReadonlyMap<string, Found>, { name, in: place }: Found): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, keyLength) || "_";
  const placed = `${place}_${plain}`.slice(0, keyLength);
  const free = [plain, placed].find((key) => !taken.has(key) && key !== "__proto__");
  return free ?? `${placed.slice(0, keyLength - 5)}_${taken.size}`;
}

function contentSchema(source: JsonObject): Json | undefined {
  const [media] = Object.values(isJsonObject(source["content"]) ? source["content"] : {});
  return isJsonObject(media) ? media["schema"] : undefined;
}

function parameterPlan(key: string, { source, name, in: place }: Found): ParameterPlan {
  const style = textOf(source["style"]) ?? defaultStyles[place];
  const { explode } = source;
  return {
    key,
    name,
    in: place,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    allowReserved: source["allowReserved"] === true,
    isJson: source["schema"] === undefined && isJsonObject(source["content"]),
  };
}
