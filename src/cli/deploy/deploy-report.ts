// What a deploy reports: one line for each step while it runs, or all steps as one line of JSON at its end.

import type { CliContext, ExitCode } from "../context.ts";

/** The steps, in their order. */
type StepName = "definitions" | "configuration" | "secrets" | "catalog" | "migrations" | "worker" | "health";

/** Reports the steps of a deploy. */
export interface DeployReport {
  /** Reports a step; `fields` are for programs. */
  step: (name: StepName, detail: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Reports a step whose check found errors. */
  fail: (name: StepName, detail: string) => void;
  /** Reports a warning for the user. */
  warn: (detail: string) => void;
  /** Ends the report. With `--json` it is printed now. */
  end: (code: ExitCode, error?: string) => void;
}

export function createReport({ print, printError }: CliContext, json: boolean): DeployReport {
  const steps: object[] = [];
  const warnings: string[] = [];
  return {
    step: (step, detail, fields = {}) => {
      steps.push({ step, detail, ...fields });
      if (!json) print(`${step}: ${detail}`);
    },
    fail: (step, detail) => {
      steps.push({ step, failed: true, detail });
      if (!json) printError(`${step}: ${detail}`);
    },
    warn: (detail) => {
      warnings.push(detail);
      if (!json) printError(`warning: ${detail}`);
    },
    end: (code, error) => {
      if (json) print(JSON.stringify({ ok: code === 0, steps, warnings, ...(error === undefined ? {} : { error }) }));
      else if (error !== undefined) printError(error);
    },
  };
}
