// The error results that the executor returns in place of a tool's result. Models read the texts and act on them.

import type { ToolResult } from "#contract/call-result.ts";

/** An error result. */
export function errorResult(error: string, stack?: string): ToolResult & { stack?: string } {
  return { status: "error", error, ...(stack === undefined ? {} : { stack }) };
}

/** The model called a tool that the step does not have. */
export function unknownTool(name: string, known: readonly string[]): ToolResult {
  const list = known.length === 0 ? "No tools are available." : `Available: ${known.join(", ")}.`;
  return errorResult(`There is no tool named "${name}". ${list}`);
}

/** The arguments are not a JSON object. */
export function unparsedArguments(text: string): ToolResult {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return errorResult(`The arguments are not a JSON object: ${shown}`);
}

/** The arguments do not match the tool's schema. */
export function invalidArguments(problem: string): ToolResult {
  return errorResult(`The arguments do not fit the tool's schema. ${problem}`);
}

/** The run was stopped before or while the tool ran. */
export const stoppedCall = errorResult("The run was stopped before this tool finished.");

/** A steering message arrived before the call started. */
export const skippedCall = errorResult(
  "This call was skipped: a new message came before it began. Call the tool again if that is still wanted.",
);

/** The tool exceeded its time limit. */
export function timedOut(ms: number): ToolResult {
  return errorResult(`The tool did not finish within ${ms / 1000} s.`);
}

/** A crash interrupted the call. Whether it had its effect is unknown. */
export const unknownOutcome = errorResult(
  "The server was interrupted while this tool ran. Whether it took effect is unknown. " +
    "Check before you run it again.",
);

/** The run ended while the call waited for a client or a person. */
export const notAnswered = errorResult("The run ended before anybody answered this call.");

/** A person declined the call. */
export function declined(name: string, reason: string | undefined): ToolResult {
  const why = reason === undefined ? "" : ` They said: ${reason}`;
  return errorResult(`The call of "${name}" was declined by a person, so it was not run.${why}`);
}

/** The approval was not decided before its deadline. */
export function approvalTimedOut(name: string): ToolResult {
  return errorResult(`Nobody approved the call of "${name}" in time, so it was not run.`);
}

/** Too many calls of one step wait for clients and people. */
export function tooManyWaiting(most: number): ToolResult {
  return errorResult(`Only ${most} calls of a step may wait for a client or a person. Make this one in another step.`);
}

/** A remote call without a result, of a tool that is no longer remote. */
export function noLongerRemote(name: string): ToolResult {
  return errorResult(
    `The tool "${name}" is not run by a client any more, and nobody had answered this call. Call it again.`,
  );
}

/** A tool that needs an approval was called outside of a run, where no call can wait. */
export function approvalNeedsRun(name: string): ToolResult {
  return errorResult(
    `The tool "${name}" needs a person's consent, which only a run can wait for. Use queueTool for it.`,
  );
}

/** A remote tool was called outside of a run, where no call can wait. */
export function remoteCallNeedsRun(name: string): ToolResult {
  return errorResult(
    `The tool "${name}" is answered by a client, which only a run can wait for. Use queueTool for it.`,
  );
}

/** The remaining budget of the run is too small for a child thread. */
export const noBudgetForAgent = errorResult(
  "The run's limits leave too little for another agent. Answer without calling one.",
);
