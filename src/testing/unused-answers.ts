// Answers that a test scripted and no request used are an error of the test: the agent did less than the test expects. The check waits for
// the end of the test that started the thread, or of its file, if a hook started the thread for several tests.

import { afterAll, onTestFinished, TestRunner } from "vitest";
import type { RunnerTask } from "vitest";

import type { Script } from "./script.ts";

/** Scripts of threads that hooks of the file started. */
const shared: Script[] = [];

/** Registers a script for the check. */
export function checkUnusedAtEnd(script: Script): void {
  if (TestRunner.getCurrentTest() === undefined) shared.push(script);
  else
    onTestFinished(({ task }) => {
      // A test that failed may have ended before its last requests.
      if (task.result?.state !== "fail") script.throwUnused();
    });
}

/** Registers the check at the end of each file. Called by the setup of the file. */
export function checkUnusedAtEndOfFile(): void {
  // oxlint-disable-next-line eslint/no-empty-pattern -- vitest reads the fixtures that a hook needs from this parameter
  afterAll(({}, { tasks }) => {
    const scripts = shared.splice(0);
    // Tests that failed, or that were not selected, leave answers unused.
    if (havePassed(tasks)) for (const script of scripts) script.throwUnused();
  });
}

function havePassed(tasks: readonly RunnerTask[]): boolean {
  return tasks.every((task) => (task.type === "suite" ? havePassed(task.tasks) : task.result?.state === "pass"));
}
