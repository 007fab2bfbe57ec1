// The texts that models read in place of a tool's result, in the words of the document (decisions 48 and 92: only a call that steering skipped has its text). The others are those of threads.

import type { CallErrorTexts } from "#core/tools/error-results.ts";

/** The texts of this entry. */
export const errorTexts: Partial<CallErrorTexts> = {
  unknownTool: (name) => `Tool ${name} not found`,
  skipped: () => "Skipped due to queued user message.",
  skippedByHook: () => "Tool call skipped by before_tool_execution hook",
  stopped: () => "Cancelled.",
};
