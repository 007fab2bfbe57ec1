// Runs `threadhold doctor` in a project of a test.

import { runCli } from "#cli/run-cli.ts";

import { packageRoot, writeProject, type Files } from "../../compiler/temporary-project.ts";

/** Writes a project and runs the command in it. */
export const doctor = (files: Files, under?: string): Promise<{ code: number; output: string }> =>
  examine(writeProject(files, under));

/** Runs the command in a project. */
export async function examine(root: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const lines: string[] = [];
  const code = await runCli(["doctor", "--root", root, ...args], {
    env: { PATH: process.env.PATH },
    cwd: packageRoot,
    packageRoot,
    version: "test",
    print: (text) => lines.push(text),
    printError: (text) => lines.push(text),
    colours: false,
    self: ["false"],
  });
  return { code, output: lines.join("\n") };
}
