// The steps of a plan that a strategy made, with their statuses.

import type { ReactElement } from "react";
import type { EventOf } from "threadhold/client";

import css from "./plan-steps.module.css";

export type PlanOfEvent = EventOf<"plan">["steps"];

/** The list. `label` is its accessible name. */
export function PlanSteps({ steps, label }: { steps: PlanOfEvent; label: string }): ReactElement {
  return (
    <ol className={css["plan"]} aria-label={label}>
      {steps.map(({ id, description, status }) => (
        <li key={id} data-status={status}>
          {description} <span className={css["status"]}>{status.replaceAll("_", " ")}</span>
        </li>
      ))}
    </ol>
  );
}
