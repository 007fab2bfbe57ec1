// `state.context` may hold anything a definition puts there, a row cannot. The run's record has the last copy that could
// be kept, and a cut run goes on with that.

import { cutText, jsonBytes } from "./cut-text.ts";
import { jsonCopy } from "./json-copy.ts";
import type { RunPorts } from "./ports/run-ports.ts";

/** Bytes of JSON that are kept of it. */
export const contextLimit = 128 * 1024;

/** Copies the live context into the run's record. Gives what the step's log should say of it. */
export function keepContext({ run, context }: Pick<RunPorts, "run" | "context">): string[] {
  if (context === undefined) return [];
  const { copy, dropped } = jsonCopy(context.current, contextLimit);
  const bytes = copy === null ? null : jsonBytes(copy);
  if (copy !== null && bytes !== null && bytes <= contextLimit) {
    run.context = copy;
    return dropped.length === 0 ? [] : [notJson(dropped)];
  }
  const size = bytes === null ? `over ${contextLimit}` : `${bytes}`;
  return [
    `state.context is ${size} bytes; at most ${contextLimit} are kept. ` +
      "A run that is interrupted goes on with what it held before.",
  ];
}

function notJson(dropped: readonly string[]): string {
  const named = dropped.slice(0, 10).map((path) => cutText(path, 400));
  const more = dropped.length > named.length ? ` and ${dropped.length - named.length} more` : "";
  return `state.context holds what is not JSON, which an interrupted run would lose: ${named.join(", ")}${more}.`;
}
