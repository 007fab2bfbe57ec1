// Chooses the days of the page: a number of days until today, or a range that the user enters.

import { useState } from "react";
import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";
import { Choice } from "./choice.tsx";
import { presets } from "./usage-choice.ts";
import type { AddressChange, UsageChoice } from "./usage-choice.ts";

import css from "./usage.module.css";

interface RangeChoiceProps {
  choice: UsageChoice;
  onChange: (change: AddressChange) => void;
}

const options = [
  ...presets.map((days) => ({ value: String(days), label: `${days} days` })),
  { value: "own", label: "Dates" },
];

/** The choice. A range that the user enters applies as soon as its days are in order. */
export function RangeChoice({ choice, onChange }: RangeChoiceProps): ReactElement {
  const { preset, from, to } = choice;
  const choose = (value: string): void => {
    if (value === "own") onChange({ from, to, days: null });
    else onChange({ days: value, from: null, to: null, day: null });
  };
  return (
    <div className={css["range"]}>
      <Choice label="Days" options={options} chosen={preset === null ? "own" : String(preset)} onChoose={choose} />
      {preset === null ? <OwnDates key={`${from} ${to}`} from={from} to={to} onChange={onChange} /> : null}
    </div>
  );
}

function OwnDates({ from, to, onChange }: { from: string; to: string; onChange: RangeChoiceProps["onChange"] }) {
  const [first, setFirst] = useState(from);
  const [last, setLast] = useState(to);
  const turned = first !== "" && last !== "" && first > last;
  const settle = (): void => {
    if (first !== "" && last !== "" && !turned && (first !== from || last !== to)) {
      onChange({ from: first, to: last, day: null });
    }
  };
  return (
    <form
      className={css["dates"]}
      onSubmit={(event) => {
        event.preventDefault();
        settle();
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) settle();
      }}
    >
      <input
        type="date"
        className={css["date"]}
        aria-label="From"
        value={first}
        aria-invalid={turned}
        onChange={(event) => setFirst(event.target.value)}
      />
      <span aria-hidden="true">–</span>
      <input
        type="date"
        className={css["date"]}
        aria-label="To"
        value={last}
        aria-invalid={turned}
        onChange={(event) => setLast(event.target.value)}
      />
      <Button type="submit" small disabled={turned || (first === from && last === to)}>
        Show
      </Button>
      {turned ? (
        <span className={css["turned"]} role="alert">
          The first day is behind the last.
        </span>
      ) : null}
    </form>
  );
}
