// The page of usage: totals of the project's runs, a chart by day, and the same numbers as tables.

import { useMemo, useState } from "react";
import type { ReactElement } from "react";
import { Link } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { Button } from "../kit/button.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useNow } from "../kit/now.ts";
import { nothing } from "./amount.ts";
import { Choice } from "./choice.tsx";
import { dayAt, dayText, daysOf, rangeWords, spanOf } from "./days.ts";
import { RangeChoice } from "./range-choice.tsx";
import { SeriesPatterns } from "./series-mark.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { useUsageChoice } from "./usage-choice.ts";
import type { AddressChange, UsageChoice } from "./usage-choice.ts";
import { DayTable, SeriesTable } from "./usage-tables.tsx";
import { UsageTotals } from "./usage-totals.tsx";
import { useUsage } from "./use-usage.ts";
import type { KnownUsage } from "./use-usage.ts";

import css from "./usage.module.css";

export function UsagePage(): ReactElement {
  usePageTitle("Usage");
  const [choice, change] = useUsageChoice();
  const { usage, stale, error, retry } = useUsage(choice);
  const days = spanOf(choice.from, choice.to);
  return (
    <div className={css["page"]}>
      <div className={css["column"]} aria-busy={stale}>
        <header className={css["head"]}>
          <div>
            <h1 className={css["title"]}>Usage</h1>
            <p className={css["lead"]}>{rangeWords(choice.from, choice.to)}</p>
          </div>
          <RangeChoice choice={choice} onChange={change} />
        </header>
        {error === null ? null : (
          <div className={css["failed"]}>
            <ErrorNote title="The usage could not be read" error={error} onRetry={retry} />
          </div>
        )}
        {error !== null && usage === null ? null : (
          <>
            <UsageTotals total={usage?.total ?? null} before={usage?.before ?? nothing} days={days} />
            {usage === null ? (
              <div className={css["waiting"]}>
                <LoadingNote what="usage" />
              </div>
            ) : usage.entries.length === 0 ? (
              <Nothing choice={choice} onChange={change} />
            ) : (
              <Breakdown usage={usage} choice={choice} onChange={change} />
            )}
          </>
        )}
      </div>
    </div>
  );
}

interface PartProps {
  choice: UsageChoice;
  onChange: (change: AddressChange) => void;
}

function Nothing({ choice: { preset, only, by }, onChange }: PartProps): ReactElement {
  return (
    <div className={css["nothing"]}>
      <EmptyNote title={only === null ? "Nothing ran in these days" : `${only} did not run in these days`}>
        <p>
          A run is counted a moment after it ended. <Link href="/">Start a thread</Link> with one of the agents, or look
          at more days.
        </p>
      </EmptyNote>
      <div className={css["ways"]}>
        {preset === 90 ? null : (
          <Button small onClick={() => onChange({ days: "90", from: null, to: null, day: null })}>
            Show 90 days
          </Button>
        )}
        {only === null ? null : (
          <Button small onClick={() => onChange({ only: null })}>
            Show every {by}
          </Button>
        )}
      </div>
    </div>
  );
}

function Breakdown({ usage, choice, onChange }: PartProps & { usage: KnownUsage }): ReactElement {
  const { from, to, by, entries, series, total } = usage;
  const today = dayAt(useNow());
  const [lit, setLit] = useState<number | null>(null);
  const days = useMemo(() => daysOf(from, to), [from, to]);
  const measure = choice.measure ?? (total.known > 0 ? "cost" : "tokens");
  const picked = choice.day;
  const shown = picked === null ? entries : entries.filter(({ day }) => day === picked);
  return (
    <>
      <SeriesPatterns />
      <section className={css["section"]} aria-label="Drawing">
        <div className={css["tools"]}>
          <Choice
            label="What is drawn"
            options={[
              { value: "cost", label: "Cost" },
              { value: "tokens", label: "Tokens" },
            ]}
            chosen={measure}
            onChoose={(value) => onChange({ measure: value })}
          />
          <Choice
            label="By what"
            options={[
              { value: "agent", label: "By agent" },
              { value: "model", label: "By model" },
            ]}
            chosen={choice.by}
            onChoose={(value) => onChange({ by: value, only: null })}
          />
          {choice.only === null ? null : (
            <span className={css["chosen"]}>
              Only {choice.only}
              <Button small kind="quiet" onClick={() => onChange({ only: null })}>
                Show every {by}
              </Button>
            </span>
          )}
        </div>
        <UsageChart
          days={days}
          entries={entries}
          series={series}
          by={by}
          measure={measure}
          today={today}
          lit={lit}
          picked={picked}
          onPick={(day) => onChange({ day })}
        />
        {measure === "cost" && total.cost === null ? (
          <p className={css["key"]}>
            <span className={css["open"]} aria-hidden="true" /> A broken frame: more was used, of models without a
            price. Set <code>inputPrice</code> and <code>outputPrice</code> in the model’s definition.
          </p>
        ) : null}
      </section>
      <section className={css["section"]} aria-labelledby="usage-series">
        <h2 id="usage-series" className={css["subtitle"]}>
          By {by}
        </h2>
        <SeriesTable
          key={by}
          series={series}
          total={total}
          by={by}
          only={choice.only}
          onOnly={(only) => onChange({ only })}
          onLight={setLit}
        />
        {by === "model" ? (
          <p className={css["key"]}>A run that asks two models is a run of both, and one in total.</p>
        ) : null}
      </section>
      <section className={css["section"]} aria-labelledby="usage-days">
        <h2 id="usage-days" className={css["subtitle"]}>
          {picked === null ? "Day by day" : dayText(picked)}
          {picked === null ? null : (
            <Button small kind="quiet" onClick={() => onChange({ day: null })}>
              Show every day
            </Button>
          )}
        </h2>
        {shown.length === 0 ? (
          <p className={css["key"]}>Nothing ran on this day.</p>
        ) : (
          <DayTable key={`${from} ${to} ${by}`} entries={shown} series={series} by={by} />
        )}
      </section>
    </>
  );
}
