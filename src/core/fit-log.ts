// Makes a log row fit: whatever a provider sent and whatever tools threw, the row that ends a step can be written.

import { isJsonObject, type JsonObject } from "#contract/json.ts";

import { cutText, jsonBytes } from "./cut-text.ts";
import type { LogRecord } from "./record.ts";

/** Bytes of JSON that a log row may take; the store takes 1 900 000. */
export const logLimit = 1_850_000;

/** Shortens a row's data by so many bytes, as far as it can. */
type Shrink = (data: JsonObject, over: number) => JsonObject;

/** What is given up, the most dispensable first. */
const shrinks: readonly Shrink[] = [shorterRaw, withoutStacks, withoutLeftOut];

/** The row, no larger than `logLimit`. One that fits comes back as it is. */
export function fitLog(record: LogRecord): LogRecord {
  let fitting = record;
  for (const shrink of shrinks) {
    const over = jsonBytes(fitting) - logLimit;
    if (over <= 0) break;
    fitting = { ...fitting, data: shrink(fitting.data, over) };
  }
  return fitting;
}

function shorterRaw(data: JsonObject, over: number): JsonObject {
  const { raw } = data;
  return typeof raw === "string" ? { ...data, raw: cutText(raw, jsonBytes(raw) - over) } : data;
}

function withoutStacks(data: JsonObject): JsonObject {
  const { tools } = data;
  if (!Array.isArray(tools)) return data;
  return { ...data, tools: tools.map((tool) => (isJsonObject(tool) ? without(tool, "stack") : tool)) };
}

/** A filter may leave out most of a very long history; then only their number is kept. */
function withoutLeftOut(data: JsonObject): JsonObject {
  const { request } = data;
  if (!isJsonObject(request) || !isJsonObject(request["messages"])) return data;
  const { left_out, ...messages } = request["messages"];
  const count = Array.isArray(left_out) ? left_out.length : 0;
  return { ...data, request: { ...request, messages: { ...messages, left_out: [], left_out_count: count } } };
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = object;
  return rest;
}
