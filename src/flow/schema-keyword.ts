// Checks the values of keywords in a client's JSON Schema. Other code here, and providers, rely on valid values: an unknown `type`, for
// example, would make a request fail in the middle of a run.

import type { Json } from "#contract/json.ts";

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

const isText = (value: Json): boolean => typeof value === "string";
const isNumber = (value: Json): boolean => typeof value === "number";
const isCount = (value: Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isList = (value: Json): boolean => Array.isArray(value) && value.length > 0;
const isFlag = (value: Json): boolean => typeof value === "boolean";
const areNames = (value: Json): boolean => Array.isArray(value) && value.every(isText);

function isType(value: Json): boolean {
  const all = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every((one) => typeof one === "string" && types.has(one));
}

const allowed = new Map<string, (value: Json) => boolean>([
  ["type", isType],
  ["enum", isList],
  ["required", areNames],
  ["title", isText],
  ["description", isText],
  ["pattern", isText],
  ["format", isText],
  ["minimum", isNumber],
  ["maximum", isNumber],
  // A number since draft 6; a boolean in draft 4.
  ["exclusiveMinimum", (value) => isNumber(value) || isFlag(value)],
  ["exclusiveMaximum", (value) => isNumber(value) || isFlag(value)],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["uniqueItems", isFlag],
]);

/** Whether a value is valid for a keyword. Any value is valid for an unknown keyword, because the keyword has no effect. */
export function isKeywordValue(keyword: string, value: Json): boolean {
  return allowed.get(keyword)?.(value) ?? true;
}
