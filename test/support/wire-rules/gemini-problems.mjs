// The parameters that Gemini accepts for a function, written after its reference (`Schema` of the generative language API,
// https://ai.google.dev/api/caching#Schema) and after reports of refusals. Problems are returned as sentences.

const fields = new Set([
  "type",
  "description",
  "nullable",
  "format",
  "enum",
  "minLength",
  "properties",
  "required",
  "items",
]);
const types = new Set(["string", "number", "integer", "boolean", "array", "object"]);

/**
 * The problems for which Gemini would refuse a schema. At the place "parameters" it is the schema of a function. Gateways receive JSON
 * Schema, whose type "null" they convert.
 * @param {any} schema
 * @param {string} [place]
 * @param {boolean} [isForGateway]
 * @returns {string[]}
 */
export function geminiProblems(schema, place = "parameters", isForGateway = false) {
  if (isForGateway && JSON.stringify(schema) === '{"type":"null"}') return [];
  const problemsOf = (/** @type {unknown} */ inner, /** @type {string} */ at) =>
    geminiProblems(inner, at, isForGateway);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`${place} is no schema`];
  const { anyOf, type, format, enum: values, properties, required, items } = schema;
  const keys = Object.keys(schema);
  if (anyOf !== undefined && place !== "parameters") {
    const branches = Array.isArray(anyOf) ? anyOf : [];
    return [
      ...(keys.length > 1 ? [`${place} has ${keys.join()} next to anyOf`] : []),
      ...(branches.length < 2 ? [`${place} has no choice in anyOf`] : []),
      ...branches.flatMap((/** @type {any} */ branch, /** @type {number} */ at) =>
        problemsOf(branch, `${place}|${at}`),
      ),
    ];
  }
  const faults = keys.filter((key) => !fields.has(key)).map((key) => `${place} has the unknown field ${key}`);
  if (place === "parameters" && type !== "object") faults.push("parameters is no object");
  if (typeof type !== "string" || !types.has(type)) faults.push(`${place} has the type ${JSON.stringify(type)}`);
  if (format !== undefined && format !== "date-time") faults.push(`${place} has the format ${JSON.stringify(format)}`);
  if (values !== undefined) {
    if (type !== "string") faults.push(`${place} lists values although it is of type ${String(type)}`);
    const isTexts =
      Array.isArray(values) &&
      values.every((/** @type {unknown} */ value) => typeof value === "string" && value !== "");
    if (!isTexts || values.length === 0) faults.push(`${place} lists ${JSON.stringify(values)}`);
  }
  if (properties !== undefined && type !== "object") faults.push(`${place} has properties and is no object`);
  const named = Object.entries(properties ?? {});
  // "Parameter names must start with a letter or an underscore and must only contain chars a-z, A-Z, 0-9, or underscores with a maximum
  // length of 64.": https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder
  for (const [name] of place.startsWith("parameters") ? named : []) {
    if (!/^[a-zA-Z_]\w{0,63}$/.test(name)) faults.push(`${place} has the key ${JSON.stringify(name)}`);
  }
  if (properties !== undefined && named.length === 0) faults.push(`${place} has empty properties`);
  for (const name of required ?? []) {
    if (!Object.hasOwn(properties ?? {}, name)) faults.push(`${place} requires ${name}, which it does not have`);
  }
  if ((type === "array") !== (items !== undefined)) {
    faults.push(`${place} is of type ${String(type)}, items: ${String(items)}`);
  }
  return [
    ...faults,
    ...named.flatMap(([name, inner]) => problemsOf(inner, `${place}.${name}`)),
    ...(items === undefined ? [] : problemsOf(items, `${place}[]`)),
  ];
}
