// What a call of a prompt or an agent says to whoever answers it (decision 10).

import type { JsonObject } from "#contract/json.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

/** What a call says to whoever answers it: the named argument, the task, or all arguments as JSON (decision 10). */
export function firstWords(args: JsonObject, prompt: AnyPromptDefinition, property?: string): string {
  const named = property ?? (prompt.requiredSchema === undefined ? "task" : undefined);
  const value = named !== undefined && Object.hasOwn(args, named) ? args[named] : undefined;
  if (value === undefined) return JSON.stringify(args);
  return typeof value === "string" ? value : JSON.stringify(value);
}
