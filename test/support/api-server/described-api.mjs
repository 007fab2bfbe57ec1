// An API that is generated from an OpenAPI document: it finds the operation of a request, checks the request against the document, and answers
// with a response of the document. It shares no code with the client that the tests check.
//
// Texts are not checked against patterns and formats, because the tests invent texts.

import { dereference, validate } from "@cfworker/json-schema";

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

/** @typedef {Record<string, any>} Any */

/**
 * Two operations may have one method and one path. A request belongs to those of them that accept it.
 *
 * @param {Any} document
 */
export function describedApi(document) {
  const operations = operationsOf(document);
  const version = String(document.openapi).startsWith("3.0") ? "4" : "2020-12";
  const bodies = Object.fromEntries(
    operations.map((one, index) => [`b${index}`, plain(jsonSchemaOf(document, one.operation))]),
  );
  const known = dereference({ components: plain(document.components), bodies });
  const problemsOf = (/** @type {any} */ value, /** @type {number} */ index) => {
    const { valid, errors } = validate(value, bodies[`b${index}`], version, known, true);
    return valid ? [] : errors.slice(-1).map((error) => `${error.instanceLocation} ${error.error}`);
  };
  return {
    ids: operations.map(({ id }) => id).filter((id) => id !== ""),
    /** @param {{ method: string, path: string, query: URLSearchParams, headers: Any, body: Buffer }} request */
    async answer({ method, path, query, headers, body }) {
      const found = find(operations, method, path);
      if (found.length === 0) return { status: 404, accepting: [], problems: [`no operation ${method} ${path}`] };
      const checked = await Promise.all(
        found.map(async ({ index, operation, parameters, id, values, queryNames }) => ({
          id,
          operation,
          problems: [
            ...parameters.flatMap((parameter) => parameterProblems(document, parameter, { values, query, headers })),
            ...unknownNames([...parameters, ...queryNames.map((each) => ({ in: "query", name: each }))], query),
            ...(await bodyProblems(document, operation, { headers, body, check: (value) => problemsOf(value, index) })),
          ],
        })),
      );
      const accepting = checked.filter(({ problems }) => problems.length === 0);
      const [first] = accepting;
      if (first === undefined) return { status: 400, accepting: [], problems: checked[0]?.problems ?? [] };
      return { accepting: accepting.map(({ id }) => id), problems: [], ...responseOf(document, first.operation) };
    },
  };
}

/** @param {Any} document */
function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(resolve(document, item)).flatMap(([method, operation]) => {
      if (!methods.has(method)) return [];
      const own = [...(resolve(document, item).parameters ?? []), ...(operation.parameters ?? [])];
      const byName = new Map(own.map((one) => resolve(document, one)).map((one) => [`${one.in} ${one.name}`, one]));
      const [plainPath = ""] = path.split(/[?#]/);
      const names = [...plainPath.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
      const pattern = plainPath.split(/\{[^{}]+\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
      return [
        {
          id: operation.operationId ?? "",
          method: method.toUpperCase(),
          pattern: new RegExp(`^${pattern.join("([^/]+)")}$`),
          literal: pattern.join("").length,
          names,
          // Some documents have a part of the query in the path.
          queryNames: [...new URLSearchParams(/\?([^#]*)/.exec(path)?.[1]).keys()],
          operation,
          parameters: [...byName.values()],
        },
      ];
    }),
  );
}

/** The operations with the most literal characters in their paths. */
function find(
  /** @type {ReturnType<typeof operationsOf>} */ operations,
  /** @type {string} */ method,
  /** @type {string} */ path,
) {
  const matching = operations.flatMap((one, index) => {
    const match = one.method === method ? one.pattern.exec(path) : null;
    if (match === null) return [];
    const values = Object.fromEntries(
      one.names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? "")]),
    );
    return [{ ...one, index, values }];
  });
  const most = Math.max(...matching.map(({ literal }) => literal));
  return matching.filter(({ literal }) => literal === most);
}

/** Follows references of the document. */
function resolve(/** @type {Any} */ document, /** @type {any} */ value) {
  let found = value;
  while (typeof found?.$ref === "string") {
    found = found.$ref
      .slice(2)
      .split("/")
      .reduce(
        (/** @type {any} */ inner, /** @type {string} */ key) =>
          inner?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
        document,
      );
  }
  return found ?? {};
}

/** Whether a parameter is there, and whether a text is of a plain type. */
function parameterProblems(
  /** @type {Any} */ document,
  /** @type {any} */ { name, in: place, required, schema },
  /** @type {any} */ { values, query, headers },
) {
  if (place === "cookie") return [];
  const value = place === "path" ? values[name] : place === "query" ? query.get(name) : headers[name.toLowerCase()];
  const { type } = resolve(document, schema);
  if (value === undefined || value === null) {
    const isPart = place === "query" && [...query.keys()].some((key) => key.startsWith(`${name}[`));
    return required === true && type !== "object" && !isPart ? [`${place} ${name} is missing`] : [];
  }
  if (type === "integer" && !/^-?\d+$/.test(value)) return [`${place} ${name} is no integer: ${value}`];
  if (type === "number" && !Number.isFinite(Number(value))) return [`${place} ${name} is no number: ${value}`];
  if (type === "boolean" && !/^(?:true|false)$/.test(value)) return [`${place} ${name} is no boolean: ${value}`];
  return [];
}

/** Names in the query that no parameter has. An exploded object has the names of its properties. */
function unknownNames(/** @type {any[]} */ parameters, /** @type {URLSearchParams} */ query) {
  const known = parameters.filter((one) => one.in === "query");
  const isOpen = known.some(
    ({ style = "form", schema }) => style === "form" && JSON.stringify(schema ?? {}).includes("object"),
  );
  const names = new Set(known.map(({ name }) => name));
  return [...query.keys()].flatMap((key) => {
    return isOpen || names.has(key) || names.has(key.replace(/\[.*$/, "")) ? [] : [`query ${key} is unknown`];
  });
}

async function bodyProblems(
  /** @type {Any} */ document,
  /** @type {any} */ operation,
  /** @type {{ headers: any, body: Buffer, check: (value: unknown) => string[] }} */ { headers, body, check },
) {
  const requestBody = resolve(document, operation.requestBody);
  if (body.length === 0) return requestBody.required === true ? ["the body is missing"] : [];
  const type =
    String(headers["content-type"] ?? "")
      .split(";")[0]
      ?.trim() ?? "";
  const media = Object.entries(requestBody.content ?? {}).find(([each]) => each.split(";")[0]?.trim() === type)?.[1];
  if (media === undefined)
    return [`the content type ${type} is none of ${Object.keys(requestBody.content ?? {}).join(", ")}`];
  if (/[/+]json$/.test(type)) return check(JSON.parse(body.toString("utf8")));
  const isForm = type === "application/x-www-form-urlencoded";
  if (!isForm && type !== "multipart/form-data") return [];
  const form = isForm
    ? new URLSearchParams(body.toString("utf8"))
    : await new Response(body, { headers: { "content-type": headers["content-type"] } }).formData();
  const known = propertiesOf(document, media.schema);
  if (known === null) return [];
  const required = resolve(document, media.schema).required ?? [];
  const names = [...form.keys()].map((key) => key.replace(/\[.*$/, ""));
  return [
    ...names.flatMap((name) => (known.has(name) ? [] : [`the form's ${name} is unknown`])),
    ...required.flatMap((/** @type {string} */ name) =>
      names.includes(name) ? [] : [`the form's ${name} is missing`],
    ),
  ];
}

/** The schema of an operation's body in JSON; one that accepts everything for another body. */
function jsonSchemaOf(/** @type {Any} */ document, /** @type {any} */ operation) {
  const { content = {} } = resolve(document, operation.requestBody);
  const types = Object.keys(content).filter((type) => /[/+]json\b/.test(type));
  const type = types.find((each) => /^application\/json\b/.test(each)) ?? types[0];
  return type === undefined ? {} : (content[type].schema ?? {});
}

/** The names of a form's properties; null if the form may have any. */
function propertiesOf(/** @type {Any} */ document, /** @type {any} */ given) {
  const schema = resolve(document, given);
  if (
    schema.properties === undefined ||
    schema.allOf !== undefined ||
    schema.oneOf !== undefined ||
    schema.anyOf !== undefined
  )
    return null;
  return new Set(Object.keys(schema.properties));
}

/** The first response of the document that reports a success. */
function responseOf(/** @type {Any} */ document, /** @type {any} */ operation) {
  const responses = operation.responses ?? {};
  const status = Object.keys(responses).find((each) => /^2\d\d$/.test(each)) ?? "200";
  const { content = {} } = resolve(document, responses[status] ?? responses["2XX"] ?? responses.default);
  const [type] = Object.keys(content);
  if (type === undefined) return { status: Number(status) };
  return { status: Number(status), type, body: content[type].example ?? example(document, content[type].schema, 0) };
}

/** A value that a schema describes. */
function example(/** @type {Any} */ document, /** @type {any} */ given, /** @type {number} */ depth) {
  const schema = resolve(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum !== undefined) return schema.enum[0];
  const inner = schema.allOf?.[0] ?? schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (depth > 4) return null;
  if (inner !== undefined) return example(document, inner, depth + 1);
  if (schema.type === "array") return [example(document, schema.items ?? {}, depth + 1)];
  if (schema.properties === undefined)
    return { integer: 1, number: 1.5, boolean: true, string: "text" }[schema.type] ?? null;
  const fields = Object.entries(schema.properties).slice(0, 20);
  return Object.fromEntries(fields.map(([name, property]) => [name, example(document, property, depth + 1)]));
}

const dropped = new Set([
  "pattern",
  "format",
  "example",
  "examples",
  "discriminator",
  "xml",
  "description",
  "externalDocs",
]);

/** A schema without keywords that are not checked. In version 3.0 `nullable` allows null. Properties that are only in responses are not required. */
function plain(/** @type {any} */ value, isNames = false) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => plain(each));
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    if (!isNames && (dropped.has(key) || key.startsWith("x-"))) return [];
    return [[key, plain(inner, !isNames && (key === "properties" || key === "schemas"))]];
  });
  const result = Object.fromEntries(entries);
  if (isNames) return result;
  // A value that fits several alternatives is accepted: a schema for a model may lack what distinguishes them.
  if (result.oneOf !== undefined) result.anyOf = [...(result.anyOf ?? []), ...result.oneOf];
  delete result.oneOf;
  // A list without values is a mistake of the document.
  if (result.enum?.length === 0) delete result.enum;
  if (result.nullable === true && typeof result.type === "string") {
    result.type = [result.type, "null"];
    if (result.enum !== undefined) result.enum = [...result.enum, null];
  }
  if (Array.isArray(result.required)) {
    result.required = result.required.filter(
      (/** @type {string} */ name) => value.properties?.[name]?.readOnly !== true,
    );
  }
  return result;
}
