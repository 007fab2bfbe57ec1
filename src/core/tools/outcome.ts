// The answers the executor gives in a tool's stead, in words a model can act on.

import type { ToolResult } from "#contract/tool-result.ts";

/** An error result. */
export function failed(error: string, stack?: string): ToolResult & { stack?: string } {
  return { status: "error", error, ...(stack === undefined ? {} : { stack }) };
}

/** The model named a tool that is not there. */
export function unknownTool(name: string, known: readonly string[]): ToolResult {
  const list = known.length === 0 ? "No tools are available." : `Available: ${known.join(", ")}.`;
  return failed(`There is no tool named "${name}". ${list}`);
}

/** The arguments are no JSON object. */
export function brokenArguments(text: string): ToolResult {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return failed(`The arguments are not a JSON object: ${shown}`);
}

/** The arguments do not fit the tool's schema. */
export function wrongArguments(problem: string): ToolResult {
  return failed(`The arguments do not fit the tool's schema. ${problem}`);
}

/** The run was stopped before or while the tool ran. */
export const stoppedCall = failed("The run was stopped before this tool finished.");

/** Somebody spoke up before the call began. */
export const skippedCall = failed(
  "This call was skipped: a new message came before it began. Call the tool again if that is still wanted.",
);

/** The tool took longer than it may. */
export function timedOut(ms: number): ToolResult {
  return failed(`The tool did not finish within ${ms / 1000} s.`);
}

/** A crash fell into the call, and nobody can say whether it took effect. */
export const unknownOutcome = failed(
  "The server was interrupted while this tool ran. Whether it took effect is unknown. " +
    "Check before you run it again.",
);

/** The run ended while somebody outside was still to answer. */
export const unanswered = failed("The run ended before anybody answered this call.");

/** Whoever was asked for consent refused it. */
export function declined(name: string, reason: string | undefined): ToolResult {
  const why = reason === undefined ? "" : ` They said: ${reason}`;
  return failed(`The call of "${name}" was declined by a person, so it was not run.${why}`);
}

/** Nobody consented in time. */
export function notApproved(name: string): ToolResult {
  return failed(`Nobody approved the call of "${name}" in time, so it was not run.`);
}

/** A step asked more of people and clients than can be shown. */
export function tooManyOutside(most: number): ToolResult {
  return failed(`Only ${most} calls of a step may wait for a client or a person. Make this one in another step.`);
}

/** The tool was a client's to run when it was called, and is not any more. */
export function notAskedAnyMore(name: string): ToolResult {
  return failed(
    `The tool "${name}" is not run by a client any more, and nobody had answered this call. Call it again.`,
  );
}

/** A tool that asks for consent, called where nothing can wait for it. */
export function nobodyConsents(name: string): ToolResult {
  return failed(`The tool "${name}" needs a person's consent, which only a run can wait for. Use queueTool for it.`);
}

/** A tool without a function, called where nothing can wait for a client. */
export function nobodyAnswers(name: string): ToolResult {
  return failed(`The tool "${name}" is answered by a client, which only a run can wait for. Use queueTool for it.`);
}

/** The run's limits leave nothing for another agent. */
export const nothingLeft = failed("The run's limits leave too little for another agent. Answer without calling one.");
