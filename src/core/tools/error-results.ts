// The error results that the loop returns in place of a tool's result, and their texts, on which models act. The texts are settings of a
// run: a library that runs the loop in process may need other texts.

import type { ToolResult } from "#contract/call-result.ts";

/** The texts that models read in place of a tool's result. */
export interface CallErrorTexts {
  /** The model called a tool that the step does not have. `known` is empty if the step has no tools, or forbids calls. */
  unknownTool(name: string, known: readonly string[]): string;
  /** The arguments are not a JSON object. */
  unparsedArguments(text: string): string;
  /** The arguments do not match the tool's schema. */
  invalidArguments(problem: string): string;
  /** The run was stopped before or while the tool ran. */
  stopped(name: string): string;
  /** A steering message arrived before the call started. */
  skipped(name: string): string;
  /** A hook did not let the call run. */
  skippedByHook(name: string): string;
  /** The tool exceeded its time limit. */
  timedOut(name: string, milliseconds: number): string;
  /** A crash interrupted the call. Whether it had its effect is unknown. */
  unknownOutcome(name: string): string;
  /** The tool threw a value that is not an error. The message of an error is used as it is. */
  threw(message: string): string;
  /** The tool returned a value that is not a result. */
  noResult(): string;
  /** The tool returned no text, and a value that has no JSON. */
  noJson(): string;
  /** The stream of the tool ended without a result. */
  noResultPiece(): string;
  /** The tool returned an error without a text. */
  noReason(): string;
  /** A person declined the call. */
  declined(name: string, reason: string | undefined): string;
  /** The approval was not decided before its deadline. */
  approvalTimedOut(name: string): string;
  /** The rule that decides whether the call needs an approval took too long. */
  approvalRuleTimedOut(name: string): string;
  /** Too many calls of one step wait for clients and people. */
  tooManyWaiting(most: number): string;
  /** A remote call without a result, of a tool that is no longer remote. */
  noLongerRemote(name: string): string;
  /** A remote call had no result before its deadline. `duration` is a text such as "2 hours". */
  remoteTimedOut(name: string, duration: string): string;
  /** A remote call whose row waits for no result. */
  notAnswerable(name: string): string;
  /** A call of the history has no result: a crash interrupted it, or its result was deleted. */
  lostResult(name: string): string;
}

/** The texts of threads. */
export const threadErrorTexts: CallErrorTexts = {
  unknownTool(name, known) {
    if (known.length === 0) return `There is no tool named "${name}" in this answer: no tool may be called.`;
    return `There is no tool named "${name}". Available: ${known.join(", ")}.`;
  },
  unparsedArguments(text) {
    const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
    return `The arguments are not a JSON object: ${shown}`;
  },
  invalidArguments: (problem) => `The arguments do not fit the tool's schema. ${problem}`,
  stopped: () => "The run was stopped before this tool finished.",
  skipped: () =>
    "This call was skipped: a new message came before it began. Call the tool again if that is still wanted.",
  skippedByHook: () => "This call was skipped by a rule of this project, so it was not run.",
  timedOut: (_name, milliseconds) => `The tool did not finish within ${milliseconds / 1000} s.`,
  unknownOutcome: () =>
    "The server was interrupted while this tool ran. Whether it took effect is unknown. " +
    "Check before you run it again.",
  threw: (message) => `The tool threw: ${message}`,
  noResult: () =>
    "The tool returned no result. It must return a text, a JSON value or " +
    '{status: "success" | "error", result?: string, error?: string, …}.',
  noJson: () => "The tool returned a value that has no JSON form, and no text.",
  noResultPiece: () => "The tool ended without a result.",
  noReason: () => "The tool failed without saying why.",
  declined(name, reason) {
    const why = reason === undefined ? "" : ` They said: ${reason}`;
    return `The call of "${name}" was declined by a person, so it was not run.${why}`;
  },
  approvalTimedOut: (name) => `Nobody approved the call of "${name}" in time, so it was not run.`,
  approvalRuleTimedOut: (name) => `Whether "${name}" needs approval could not be found out in time; it was not run.`,
  tooManyWaiting: (most) =>
    `Only ${most} calls of a step may wait for a client or a person. Make this one in another step.`,
  noLongerRemote: (name) =>
    `The tool "${name}" is not run by a client any more, and nobody had answered this call. Call it again.`,
  remoteTimedOut: (name, duration) => `Nobody answered the call of "${name}" within ${duration}.`,
  notAnswerable: (name) => `The call of "${name}" cannot be answered any more.`,
  lostResult: () => "This call has no result: it was interrupted or removed.",
};

export function errorResult(error: string, stack?: string): ToolResult & { stack?: string } {
  return { status: "error", error, ...(stack === undefined ? {} : { stack }) };
}

// The error results of a thread's calls outside of the loop.

/** The run was stopped before or while the tool ran. */
export const stoppedCall: ToolResult = errorResult(threadErrorTexts.stopped(""));

/** A crash interrupted the call. Whether it had its effect is unknown. */
export const unknownOutcome: ToolResult = errorResult(threadErrorTexts.unknownOutcome(""));

/** The arguments do not match the tool's schema. */
export function invalidArguments(problem: string): ToolResult {
  return errorResult(threadErrorTexts.invalidArguments(problem));
}

/** A person declined the call. */
export function declined(name: string, reason: string | undefined): ToolResult {
  return errorResult(threadErrorTexts.declined(name, reason));
}

/** The run ended while the call waited for a client or a person. */
export const notAnswered: ToolResult = errorResult("The run ended before anybody answered this call.");

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
