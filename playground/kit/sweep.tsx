// What moves while something takes its time. It says nothing by itself: words stand beside it.

import type { ReactElement } from "react";

import css from "./sweep.module.css";

/** A line that is swept over and over. */
export function Sweep(): ReactElement {
  return <span className={css["sweep"]} aria-hidden="true" />;
}
