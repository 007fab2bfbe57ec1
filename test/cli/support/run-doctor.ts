// Runs `threadhold doctor` in a project of a test.

import { runInProcess, type InProcessResult } from "../../compiler/command.ts";
import { writeProject, type Files } from "../../compiler/temporary-project.ts";

/** Writes a project and runs the command in it. */
export const doctor = (files: Files, under?: string): Promise<InProcessResult> => examine(writeProject(files, under));

/** Runs the command in a project. */
export const examine = (root: string, ...args: string[]): Promise<InProcessResult> =>
  runInProcess(["doctor", "--root", root, ...args], { env: { PATH: process.env.PATH } });
