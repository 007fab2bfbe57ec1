// Makes the first message of a nested loop or a child thread from the arguments of the call (decision 10: prompts as tools).

import type { JsonObject } from "#contract/json.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

/** The text of the message: the named argument, else `task`, else all arguments as JSON (decision 10: prompts as tools). */
export function firstMessageText(args: JsonObject, prompt: AnyPromptDefinition, property?: string): string {
  const named = property ?? (prompt.requiredSchema === undefined ? "task" : undefined);
  const value = named !== undefined && Object.hasOwn(args, named) ? args[named] : undefined;
  if (value === undefined) return JSON.stringify(args);
  return typeof value === "string" ? value : JSON.stringify(value);
}
