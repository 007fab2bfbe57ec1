// The arguments that each tool was last given here. They live as long as the page.

import type { JsonObject } from "threadhold/client";

const kept = new Map<string, JsonObject>();

/** What was last written for a tool; an empty object for none. */
export function keptArguments(tool: string): JsonObject {
  return kept.get(tool) ?? {};
}

/** Keeps them. */
export function keepArguments(tool: string, args: JsonObject): void {
  kept.set(tool, args);
}
