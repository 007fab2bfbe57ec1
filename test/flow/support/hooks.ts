// A hook runner for given functions, and the problems that it logged.

import type { HookProblem } from "#flow/hook/hook-caller.ts";
import { HookRunner } from "#flow/hook/hook-runner.ts";
import type { AnyHookName, HookFunction, ThreadState } from "#spec/index.ts";

import { ManualClock } from "../../core/support/manual-clock.ts";

/** Replaces a thread's state in tests whose definitions do not use it. */
export const noState = Object.freeze({}) as ThreadState;

type Given = [hook: AnyHookName, work: (...values: never[]) => unknown];

/** Hooks run in the given order; each file is named by its position, `1.ts` first. */
export function hookRunner(...given: Given[]) {
  const clock = new ManualClock();
  const problems: HookProblem[] = [];
  const hooks = given.map(([hook, work], at) => ({
    hook,
    file: `${at + 1}.ts`,
    load: () => Promise.resolve(work as unknown as HookFunction),
  }));
  const runner = new HookRunner({ hooks, state: () => noState, clock, report: (problem) => problems.push(problem) });
  return { runner, problems, clock };
}
