// Runs `threadhold init` in a project of a test.

import { runCli } from "#cli/run-cli.ts";

import { packageRoot } from "../../compiler/temporary-project.ts";

interface Result {
  code: number;
  output: string;
}

/** Runs the command, with answers to its question. */
export async function init(
  root: string,
  args: readonly string[],
  answers?: (question: string) => string,
): Promise<Result> {
  const lines: string[] = [];
  const ask = answers && ((question: string) => Promise.resolve(answers(question)));
  const code = await runCli(["init", "--root", root, ...args], {
    env: {},
    cwd: packageRoot,
    packageRoot,
    version: "test",
    print: (text) => lines.push(text),
    printError: (text) => lines.push(text),
    colours: false,
    self: ["false"],
    terminal: ask && { ask, askHidden: ask },
  });
  return { code, output: lines.join("\n") };
}
