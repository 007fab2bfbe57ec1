// The keywords of JSON Schema, drafts 4 to 2020-12, and of OpenAPI's schemas: which of them contain schemas, which values are valid, and
// which values of one type a keyword restricts. Providers rely on valid values: an unknown `type`, for example, makes a request fail.

import type { Json } from "#contract/json.ts";

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The types of a value, without `integer`, which is a part of `number`. */
export const allTypes = ["string", "number", "boolean", "object", "array", "null"] as const;

/** How a keyword contains schemas: one, a list of them, or several by name. */
export type SchemaPlace = "one" | "list" | "named";

const places: readonly (readonly [SchemaPlace, string])[] = [
  ["one", "additionalProperties items additionalItems contains not if then else propertyNames contentSchema"],
  ["one", "unevaluatedProperties unevaluatedItems"],
  ["list", "anyOf oneOf allOf prefixItems"],
  ["named", "properties patternProperties dependentSchemas"],
];

/** The keywords that contain schemas. `items` and `dependencies` have two forms, which `draft-keywords.ts` converts to these. */
export const schemaPlaces: ReadonlyMap<string, SchemaPlace> = new Map(
  places.flatMap(([place, keywords]) => keywords.split(" ").map((keyword) => [keyword, place] as const)),
);

/** Keywords that name schemas or refer to them. They have no effect after references are replaced by their targets. */
export const identifiers: ReadonlySet<string> = new Set(
  (
    "$ref $dynamicRef $recursiveRef $dynamicAnchor $recursiveAnchor $anchor $id id $schema $vocabulary $comment " +
    "$defs definitions"
  ).split(" "),
);

/** Keywords that describe a value and restrict nothing. */
export const annotations: ReadonlySet<string> = new Set(
  "title description default examples deprecated readOnly writeOnly contentEncoding contentMediaType".split(" "),
);

const isText = (value: Json): boolean => typeof value === "string";
const isNumber = (value: Json): boolean => typeof value === "number" && Number.isFinite(value);
const isCount = (value: Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isList = (value: Json): boolean => Array.isArray(value) && value.length > 0;
const isFlag = (value: Json): boolean => typeof value === "boolean";
const areNames = (value: Json): boolean => Array.isArray(value) && value.every(isText);
const areLists = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(areNames);

function isType(value: Json): boolean {
  const all = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every((one) => typeof one === "string" && types.has(one));
}

const counts = "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains".split(" ");

const allowed = new Map<string, (value: Json) => boolean>([
  ["type", isType],
  ["enum", isList],
  ["required", areNames],
  ["dependentRequired", areLists],
  ...["title", "description", "pattern", "format", "contentEncoding", "contentMediaType"].map(
    (keyword) => [keyword, isText] as const,
  ),
  ["minimum", isNumber],
  ["maximum", isNumber],
  // A number since draft 6; a boolean in draft 4.
  ["exclusiveMinimum", (value) => isNumber(value) || isFlag(value)],
  ["exclusiveMaximum", (value) => isNumber(value) || isFlag(value)],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ...counts.map((keyword) => [keyword, isCount] as const),
  ...["uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable"].map((keyword) => [keyword, isFlag] as const),
  ["examples", (value) => Array.isArray(value)],
]);

/** The keywords that restrict a value or describe it, without those that contain schemas. */
export function isPlainKeyword(keyword: string): boolean {
  return allowed.has(keyword) || annotations.has(keyword) || keyword === "const";
}

/** Whether a value is valid for a keyword. Any value is valid for an unknown keyword, because the keyword has no effect. */
export function isKeywordValue(keyword: string, value: Json): boolean {
  return allowed.get(keyword)?.(value) ?? true;
}

const families: Readonly<Record<string, string>> = {
  string: "minLength maxLength pattern format contentEncoding contentMediaType",
  number: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
  array: "items prefixItems minItems maxItems uniqueItems",
  object:
    "properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired",
};

const familyOf = new Map(
  Object.entries(families).flatMap(([type, keywords]) => keywords.split(" ").map((keyword) => [keyword, type])),
);

/** The type whose values a keyword restricts; undefined if it restricts values of every type, or none. */
export function typeOfKeyword(keyword: string): string | undefined {
  return familyOf.get(keyword);
}

/** The type of a value, without `integer`. */
export function typeOfValue(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether a text is a regular expression of ECMAScript, with or without Unicode mode. */
export function isRegex(text: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(text, flags).source !== "";
    } catch {
      return false;
    }
  });
}
