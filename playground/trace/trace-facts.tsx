// A list of facts: a name and a value in each line.

import type { ReactElement } from "react";

import css from "./trace-detail.module.css";

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }): ReactElement {
  return (
    <dl className={css["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name} className={css["fact"]}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
