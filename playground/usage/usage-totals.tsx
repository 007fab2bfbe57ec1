// The totals of the chosen days, and their change since the same number of days before.

import type { ReactElement } from "react";

import { count } from "../kit/figures.ts";
import { changeText, costText } from "./amount.ts";
import type { Amount } from "./amount.ts";

import css from "./usage.module.css";

interface UsageTotalsProps {
  /** Null until it is loaded. */
  total: Amount | null;
  before: Amount;
  /** The number of days, which is the same for the days before. */
  days: number;
}

export function UsageTotals({ total, before, days }: UsageTotalsProps): ReactElement {
  const figure = (name: string, read: (amount: Amount) => number): ReactElement => (
    <Figure
      name={name}
      value={total === null ? null : count(read(total))}
      change={total === null ? null : changeText(read(total), read(before))}
      before={count(read(before))}
    />
  );
  return (
    <section aria-label="Totals">
      <dl className={css["totals"]} data-long={total !== null && isLong(total)}>
        <Figure
          name="Cost"
          value={total === null ? null : costText(total)}
          note={total?.cost === null ? "Some models have no price" : undefined}
          change={total === null ? null : changeText(total.cost, before.cost)}
          before={costText(before)}
        />
        {figure("Runs", ({ runs }) => runs)}
        {figure("Tokens in", ({ input }) => input)}
        {figure("Tokens out", ({ output }) => output)}
        {figure("Tokens cached", ({ cached }) => cached)}
      </dl>
      <p className={css["compared"]}>Compared with the {days === 1 ? "day" : `${days} days`} before. Days are UTC.</p>
    </section>
  );
}

/** Whether the totals need a smaller font to fit next to each other. */
function isLong(total: Amount): boolean {
  return Math.max(total.input, total.output, total.cached) >= 1e7 || costText(total).length > 15;
}

interface FigureProps {
  name: string;
  value: string | null;
  note?: string | undefined;
  change: string | null;
  before: string;
}

function Figure({ name, value, note, change, before }: FigureProps): ReactElement {
  return (
    <div className={css["total"]}>
      <dt className={css["term"]}>{name}</dt>
      <dd className={css["value"]}>{value ?? "–"}</dd>
      <dd className={css["change"]}>
        {value === null ? "\u00a0" : null}
        {note === undefined ? null : <span className={css["noted"]}>{note}</span>}
        {value === null || change === null || note !== undefined ? null : (
          <span>
            {change}
            {change === "none before" || change === "as before" ? null : (
              <span className={css["was"]}> from {before}</span>
            )}
          </span>
        )}
        {value !== null && change === null && note === undefined ? <span>before: {before}</span> : null}
      </dd>
    </div>
  );
}
