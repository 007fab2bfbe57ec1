// Runs `threadhold doctor` in a project of a test.

import type { CliContext } from "#cli/context.ts";

import { runInProcess, type InProcessResult } from "../../compiler/command.ts";
import { writeProject, type Files } from "../../compiler/temporary-project.ts";

interface DoctorRun {
  /** The folder of the project. */
  under?: string;
  args?: readonly string[];
  context?: Partial<CliContext>;
}

/** Writes a project and runs the command in it. */
export const doctor = (files: Files, run: DoctorRun | string = {}): Promise<InProcessResult> => {
  const { under, args = [], context = {} } = typeof run === "string" ? { under: run } : run;
  const parameters = ["doctor", "--root", writeProject(files, under), ...args];
  return runInProcess(parameters, { env: { PATH: process.env.PATH }, ...context });
};

/** Runs the command in a project. */
export const examine = (root: string, ...args: string[]): Promise<InProcessResult> =>
  runInProcess(["doctor", "--root", root, ...args], { env: { PATH: process.env.PATH } });
