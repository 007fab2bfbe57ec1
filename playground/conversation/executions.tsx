// The models and agents that a tool ran in its call: their state, tokens and cost, and their events since the page was opened.

import type { ReactElement } from "react";

import { count, money } from "../kit/figures.ts";
import { PlanSteps } from "../kit/plan-steps.tsx";
import type { Execution } from "./use-executions.ts";

import css from "./executions.module.css";

export function Executions({ tool, list }: { tool: string; list: readonly Execution[] }): ReactElement {
  return (
    <ul className={css["list"]} aria-label={`What ${tool} runs`}>
      {list.map(({ id, type, state, usage, cost, lines, plan }) => (
        <li key={id} className={css["one"]} data-state={state}>
          <p className={css["head"]}>
            <code>{type}</code>
            <span>{state}</span>
            {state === "running" ? null : (
              <span>
                {count(usage.total_tokens)} tokens, {money(cost)}
              </span>
            )}
          </p>
          {plan === null ? null : <PlanSteps steps={plan} label={`Plan of ${type}`} />}
          {lines.length === 0 ? null : (
            <ol className={css["lines"]} aria-label={`Events of ${type}`}>
              {lines.map((line, at) => (
                <li key={at}>{line}</li>
              ))}
            </ol>
          )}
        </li>
      ))}
    </ul>
  );
}
