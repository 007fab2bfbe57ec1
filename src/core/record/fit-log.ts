// Shortens a log row that is too large to be stored. A provider or a tool may have produced data of any size.

import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { cutText, jsonBytes, mostJsonBytes } from "#lib/cut-text.ts";

import type { LogRecord } from "./record.ts";

/** The maximum number of bytes of JSON of a log row. The store accepts 1,900,000. */
export const logLimit = 1_850_000;

/** Shortens a row's data by `over` bytes, or by as much as it can. */
type Shrink = (data: JsonObject, over: number) => JsonObject;

/** The ways to shorten a row. The first ones remove the least important data. */
const shrinks: readonly Shrink[] = [shorterRaw, withoutStacks, withoutLeftOutIds];

/** Shortens a row to at most `logLimit` bytes, or as far as `shrinks` can. A row that fits is returned unchanged. */
export function fitLog(record: LogRecord): LogRecord {
  // Most rows are small. Making their JSON only to measure it would be the most expensive part of this function.
  if (mostJsonBytes(record) <= logLimit) return record;
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

/** Replaces the list of messages that a filter hook removed by its length, because the list may be long. */
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
