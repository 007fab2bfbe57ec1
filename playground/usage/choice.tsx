// A choice of one of a few visible options: radio buttons in a row.

import { useId } from "react";
import type { ReactElement } from "react";

import css from "./choice.module.css";

interface ChoiceProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string }[];
  /** Null if no option is selected. */
  chosen: T | null;
  onChoose: (value: T) => void;
}

export function Choice<T extends string>({ label, options, chosen, onChoose }: ChoiceProps<T>): ReactElement {
  const name = useId();
  return (
    <fieldset className={css["choice"]}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={css["option"]}>
          <input
            type="radio"
            className={css["input"]}
            name={name}
            value={option.value}
            checked={option.value === chosen}
            onChange={() => onChoose(option.value)}
          />
          <span className={css["words"]}>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
