// The numbers of the chart as tables: by agent or model, which also explains the marks, and by day.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { Button } from "../kit/button.tsx";
import { count } from "../kit/figures.ts";
import { costText } from "./amount.ts";
import type { Amount } from "./amount.ts";
import { dayText } from "./days.ts";
import { SeriesMark, placeWords } from "./series-mark.tsx";
import type { Entry, Series } from "./series.ts";
import { SortableTable } from "./sortable-table.tsx";
import type { Column } from "./sortable-table.tsx";
import type { Dimension } from "./usage-choice.ts";

import css from "./usage.module.css";

/** The number of rows of days before a button shows more. */
const mostDays = 60;

const figures: readonly Column<Amount>[] = [
  { key: "cost", head: "Cost", value: costValue, cell: (amount) => <Cost amount={amount} />, figure: true },
  { key: "tokens", head: "Tokens", value: ({ tokens }) => tokens, cell: ({ tokens }) => count(tokens), figure: true },
  { key: "input", head: "In", value: ({ input }) => input, cell: ({ input }) => count(input), figure: true },
  { key: "output", head: "Out", value: ({ output }) => output, cell: ({ output }) => count(output), figure: true },
  { key: "cached", head: "Cached", value: ({ cached }) => cached, cell: ({ cached }) => count(cached), figure: true },
  { key: "runs", head: "Runs", value: ({ runs }) => runs, cell: ({ runs }) => count(runs), figure: true },
];

/** The known part of a cost; unknown if no part is known. */
function costValue({ cost, known }: Amount): number | null {
  return cost ?? (known > 0 ? known : null);
}

function Cost({ amount }: { amount: Amount }): ReactElement {
  return <span className={amount.cost === null ? css["unknown"] : ""}>{costText(amount)}</span>;
}

const titles: Readonly<Record<Dimension, string>> = { agent: "Agent", model: "Model" };

interface SeriesTableProps {
  series: readonly Series[];
  total: Amount;
  by: Dimension;
  only: string | null;
  onOnly: (name: string | null) => void;
  onLight: (place: number | null) => void;
}

/** Each agent or model, with its mark. */
export function SeriesTable({ series, total, by, only, onOnly, onLight }: SeriesTableProps): ReactElement {
  const columns: readonly Column<Series>[] = [
    {
      key: "name",
      head: titles[by],
      value: ({ name }) => name,
      cell: ({ name, place }) => (
        <span className={css["named"]}>
          <SeriesMark place={place} />
          <Link href={`/${by}s/${encodeURIComponent(name)}`} className={css["link"] ?? ""}>
            {name}
          </Link>
          {placeWords(place) === null ? null : <span className={css["aside"]}>{placeWords(place)}</span>}
          {only === null && series.length > 1 ? (
            <Button small kind="quiet" className={css["only"]} aria-label={`Only ${name}`} onClick={() => onOnly(name)}>
              Only
            </Button>
          ) : null}
        </span>
      ),
    },
    ...figures,
  ];
  return (
    <SortableTable
      caption={`Usage by ${by}`}
      columns={columns}
      rows={series}
      keyOf={({ name }) => name}
      first={{ key: "cost", down: true }}
      foot={["Total", ...figures.map(({ cell }) => cell(total))]}
      onPoint={(row) => onLight(row?.place ?? null)}
    />
  );
}

interface DayTableProps {
  entries: readonly Entry[];
  series: readonly Series[];
  by: Dimension;
}

/** Each day, with a row for each agent or model of it. */
export function DayTable({ entries, series, by }: DayTableProps): ReactElement {
  const placeOf = new Map(series.map(({ name, place }) => [name, place]));
  const columns: readonly Column<Entry>[] = [
    {
      key: "day",
      head: "Day",
      value: ({ day }) => day,
      cell: ({ day }) => <time dateTime={day}>{dayText(day)}</time>,
    },
    {
      key: "name",
      head: titles[by],
      value: ({ name }) => name,
      cell: ({ name }) => (
        <span className={css["named"]}>
          <SeriesMark place={placeOf.get(name) ?? 0} />
          {name}
        </span>
      ),
    },
    ...figures,
  ];
  return (
    <SortableTable
      caption={`Usage by day and ${by}`}
      columns={columns}
      rows={entries}
      keyOf={({ day, name }) => `${day} ${name}`}
      first={{ key: "day", down: true }}
      most={mostDays}
    />
  );
}
