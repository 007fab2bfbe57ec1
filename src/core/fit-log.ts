// Shortens a log row to a size that can be stored, whatever a provider sent or a tool threw.

import { isJsonObject, type JsonObject } from "#contract/json.ts";

import { cutText, jsonBytes } from "./cut-text.ts";
import type { LogRecord } from "./record.ts";

/** The most bytes of JSON of a log row. The store accepts 1,900,000. */
export const logLimit = 1_850_000;

/** Shortens a row's data by `over` bytes, or by as much as it can. */
type Shrink = (data: JsonObject, over: number) => JsonObject;

/** The ways to shorten a row. The first ones remove the least important data. */
const shrinks: readonly Shrink[] = [shorterRaw, withoutStacks, withoutLeftOutIds];

/** The row with at most `logLimit` bytes. A row that fits is returned unchanged. */
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

/** Replaces the ids of the messages that a filter hook left out by their number: a long history has many. */
function withoutLeftOutIds(data: JsonObject): JsonObject {
  const { request } = data;
  if (!isJsonObject(request) || !isJsonObject(request["messages"])) return data;
  const { left_out, ...messages } = request["messages"];
  const count = Array.isArray(left_out) ? left_out.length : 0;
  return { ...data, request: { ...request, messages: { ...messages, left_out: [], left_out_count: count } } };
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...others } = object;
  return others;
}
