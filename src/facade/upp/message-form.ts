// Checks the form of messages, because a program in JavaScript may create them in a wrong form. A message in the right form can be sent,
// stored as JSON and restored. The class is not checked, because a message that another copy of the package created is an instance of a
// different class.

import { isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

/** Returns the reason why a value is not a message, or could not be restored from its JSON; null for a message. */
export function problemOfMessage(value: unknown): string | null {
  if (!isObject(value) || typeof value["toJSON"] !== "function" || !(value["timestamp"] instanceof Date))
    return unknown;
  const { type, timestamp, metadata, content, results } = value;
  if (type === "tool_result" ? !Array.isArray(results) : type !== "user" && type !== "assistant") return unknown;
  if (!hasId(value)) return "its id has to be a text that is not empty";
  const year = timestamp.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return "its timestamp has to be a valid time in the years 0 to 9999";
  if (metadata !== undefined && !(isObject(metadata) && Object.values(metadata).every((each) => isObject(each))))
    return "its metadata has to have an object for each provider";
  if (type === "tool_result") return null;
  if (!Array.isArray(content)) return "its content has to be a list of blocks";
  return null;
}

/** An id that is created when it is read is not read here: in the global scope of a Worker, it cannot be created yet. */
function hasId(message: Fields): boolean {
  if (Object.getOwnPropertyDescriptor(message, "id")?.get !== undefined) return true;
  const { id } = message;
  return typeof id === "string" && id !== "";
}

const unknown = "create it with UserMessage, AssistantMessage or ToolResultMessage, or restore it with messageFromJSON";
