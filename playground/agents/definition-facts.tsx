// Facts of a definition: a name and a value each, in two columns.

import type { ReactElement, ReactNode } from "react";

import css from "./definition.module.css";

/** A fact. It is not shown if its value is null or undefined. */
export type Fact = readonly [name: string, value: ReactNode];

/** A list of facts, without those that have no value. */
export function Facts({ facts }: { facts: readonly Fact[] }): ReactElement {
  return (
    <dl className={css["facts"]}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name} className={css["fact"]}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A section of a definition's page, with a heading. */
export function Part({ title, children }: { title: string; children: ReactNode }): ReactElement {
  const id = `part-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return (
    <section className={css["part"]} aria-labelledby={id}>
      <h2 id={id} className={css["heading"]}>
        {title}
      </h2>
      {children}
    </section>
  );
}
