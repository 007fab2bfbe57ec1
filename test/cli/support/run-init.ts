// Runs `threadhold init` in a project of a test.

import { runInProcess, type InProcessResult } from "../../compiler/command.ts";

/** Runs the command, with answers to its question. */
export function init(
  root: string,
  args: readonly string[],
  answers?: (question: string) => string,
): Promise<InProcessResult> {
  const ask = answers && ((question: string) => Promise.resolve(answers(question)));
  return runInProcess(["init", "--root", root, ...args], ask && { terminal: { ask, askHidden: ask } });
}
