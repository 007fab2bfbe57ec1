// Random JSON Schemas with every keyword of drafts 4 to 2020-12, and values for them. References lead to definitions, to other parts of the
// schema, and back to the schema itself. Names and values are few, so that many values fit.

import fc from "fast-check";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";
export const drafts: readonly Draft[] = ["4", "7", "2019-09", "2020-12"];

const name = fc.constantFrom("a", "b", "weird key", "x/y~z", "$top", "filter[id]", "filter(id)");
const patterns = fc.constantFrom(
  "^a",
  "b$",
  "^[a-z]+$",
  "^(?=a)",
  "^\\p{L}+$",
  "(?<n>a)",
  "(",
  "[^]",
  "^[\\w-.]+$",
  "(a)\\1",
);
const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");

const scalars: readonly Json[] = ["", "a", "b", "ab", "weird key", 0, 1, 1.5, -2, 7, true, false, null];
const scalar = fc.constantFrom(...scalars);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }) },
  ),
}));

const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(-2, 0, 1, 1.5, 2, 7);
const flag = fc.boolean();
const text = fc.constantFrom("", "Some words", "More words.");

const plain: Record<string, fc.Arbitrary<Json>> = {
  type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
  enum: fc.array(value, { minLength: 1, maxLength: 4 }),
  const: value,
  required: fc.array(name, { maxLength: 2 }),
  minimum: number,
  maximum: number,
  multipleOf: fc.constantFrom(1, 0.5, 2, 3),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
  pattern: patterns,
  format: fc.constantFrom("date-time", "email", "uri", "x-own"),
  title: text,
  description: text,
  default: value,
  examples: fc.array(value, { maxLength: 2 }),
  example: value,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  nullable: flag,
  contentEncoding: fc.constant("base64"),
  contentMediaType: fc.constant("text/plain"),
  $comment: text,
  "x-own": value,
};

function keywordsOf(draft: Draft, schema: fc.Arbitrary<Json>): Record<string, fc.Arbitrary<Json>> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true });
  const byPattern = fc.dictionary(fc.constantFrom("^a", "b$", "^[a-z]+$", "^(?=a)"), schema, {
    maxKeys: 2,
    noNullPrototype: true,
  });
  const names = fc.dictionary(name, fc.array(name, { minLength: 1, maxLength: 2 }), {
    maxKeys: 2,
    noNullPrototype: true,
  });
  const isOld = draft === "4" || draft === "7";
  const bound = draft === "4" ? flag : number;
  return {
    ...plain,
    properties: named,
    patternProperties: byPattern,
    additionalProperties: schema,
    items: draft === "2020-12" ? schema : fc.oneof(schema, list),
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: schema,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    ...(draft === "2020-12" ? { prefixItems: list } : { additionalItems: schema }),
    ...(isOld ? { dependencies: fc.oneof(named, names) } : { dependentRequired: names, dependentSchemas: named }),
    ...(draft === "4"
      ? {}
      : Object.fromEntries(["contains", "propertyNames", "if", "then", "else"].map((keyword) => [keyword, schema]))),
    ...(isOld
      ? {}
      : {
          minContains: count,
          maxContains: count,
          unevaluatedProperties: schema,
          unevaluatedItems: schema,
          contentSchema: schema,
        }),
  };
}

const reference = fc.constantFrom("#/definitions/one", "#/definitions/two", "#/definitions/one/properties/a", "#");

/** A random schema of a draft. */
function schemas(draft: Draft): fc.Arbitrary<Json> {
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      ...(draft === "4" ? [] : [{ weight: 1, arbitrary: fc.boolean() as fc.Arbitrary<Json> }]),
      { weight: 2, arbitrary: type.map((each): Json => ({ type: each })) },
      { weight: 1, arbitrary: reference.map(($ref): Json => ({ $ref })) },
      { weight: 6, arbitrary: some(keywordsOf(draft, tie("schema"))) },
    ),
  }));
  return schema;
}

/** An object with one to five of the keywords. */
function some(keywords: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> {
  return fc.subarray(Object.keys(keywords), { minLength: 1, maxLength: 5 }).chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key] ?? fc.constant(null)])), {
      noNullPrototype: true,
    }),
  );
}

/** A random schema of a tool's arguments. */
export function argumentSchemas(draft: Draft): fc.Arbitrary<JsonObject> {
  const schema = schemas(draft);
  const keywords = keywordsOf(draft, schema);
  const { type: _, enum: __, const: ___, nullable: ____, ...others } = keywords;
  return fc
    .tuple(some(others), fc.constantFrom("object", undefined), schema, schema)
    .map(([root, stated, one, two]) => ({
      ...(root as JsonObject),
      ...(stated === undefined ? {} : { type: stated }),
      definitions: { one, two },
    }));
}

/** Random arguments. */
export const argumentValues: fc.Arbitrary<JsonObject> = fc.dictionary(name, value, {
  maxKeys: 4,
  noNullPrototype: true,
});

/** Arguments made after a schema: most of them fit it. `pick` returns a number below its argument. */
export function valueFor(schema: Json | undefined, root: JsonObject, pick: (below: number) => number, depth = 0): Json {
  const any = (): Json => scalars[pick(scalars.length)] ?? null;
  if (!isJsonObject(schema) || depth > 6) return any();
  const { $ref, const: only, enum: values, type: stated } = schema;
  if (typeof $ref === "string") return valueFor(targetOf($ref, root), root, pick, depth + 1);
  if (only !== undefined) return only;
  if (Array.isArray(values) && values.length > 0) return values[pick(values.length)] ?? null;
  const lists = ["anyOf", "oneOf", "allOf"].map((keyword) => schema[keyword]).filter((list) => Array.isArray(list));
  const list = lists[pick(Math.max(1, lists.length))];
  const inner = list?.[pick(list.length)];
  const types = Array.isArray(stated) ? stated : stated === undefined ? [] : [stated];
  const own = types[pick(Math.max(1, types.length))];
  if (own === "object" || depth === 0 || isJsonObject(schema["properties"])) {
    const result: JsonObject = {};
    const parts = isJsonObject(inner) ? [schema, inner] : [schema];
    const resolved = parts.map((part) => (typeof part["$ref"] === "string" ? targetOf(part["$ref"], root) : part));
    for (const part of resolved) {
      if (!isJsonObject(part)) continue;
      for (const [key, each] of Object.entries(isJsonObject(part["properties"]) ? part["properties"] : {})) {
        if (each !== false && pick(4) > 0) result[key] = valueFor(each, root, pick, depth + 1);
      }
      for (const key of Array.isArray(part["required"]) ? part["required"].map(String) : []) result[key] ??= any();
    }
    return result;
  }
  if (inner !== undefined) return valueFor(inner, root, pick, depth + 1);
  if (own === "array") {
    const { items, prefixItems } = schema;
    const each = Array.isArray(items) ? items[0] : Array.isArray(prefixItems) ? prefixItems[0] : items;
    return Array.from({ length: pick(3) }, () => valueFor(each, root, pick, depth + 1));
  }
  const typed = scalars.filter(
    (one) => own === undefined || (one === null ? "null" : typeof one) === (own === "integer" ? "number" : own),
  );
  return typed[pick(Math.max(1, typed.length))] ?? null;
}

function targetOf($ref: string, root: JsonObject): Json | undefined {
  let found: Json | undefined = root;
  for (const key of $ref.split("/").slice(1)) found = isJsonObject(found) ? found[key] : undefined;
  return found;
}
