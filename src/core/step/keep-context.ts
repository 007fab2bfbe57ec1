// Copies `state.context` into the run's record. Definitions may put any value there, but a row stores only JSON of a limited size. An
// interrupted run resumes with the last copy.

import { cutText, jsonBytes } from "#lib/cut-text.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import { jsonCopy } from "../record/json-copy.ts";

/** The maximum number of bytes of JSON of a copy. */
export const contextLimit = 128 * 1024;

/** Copies the context into the run's record. Returns warnings for the step's log row. */
export function keepContext({ run, context }: Pick<RunPorts, "run" | "context">): string[] {
  if (context === undefined) return [];
  const { copy, dropped } = jsonCopy(context.current, contextLimit);
  const bytes = copy === null ? null : jsonBytes(copy);
  if (copy !== null && bytes !== null && bytes <= contextLimit) {
    run.progress.context = copy;
    return dropped.length === 0 ? [] : [notJson(dropped)];
  }
  const size = bytes === null ? `over ${contextLimit}` : `${bytes}`;
  return [
    `state.context is ${size} bytes; at most ${contextLimit} are kept. ` +
      "An interrupted run resumes with the last stored context.",
  ];
}

function notJson(dropped: readonly string[]): string {
  const named = dropped.slice(0, 10).map((path) => cutText(path, 400));
  const more = dropped.length > named.length ? ` and ${dropped.length - named.length} more` : "";
  return `state.context contains values that are not JSON, which an interrupted run loses: ${named.join(", ")}${more}.`;
}
