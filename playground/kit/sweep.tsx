// An animation for a wait of unknown length. It has no text; a text next to it has to explain the wait.

import type { ReactElement } from "react";

import css from "./sweep.module.css";

/** A line with a moving highlight. */
export function Sweep(): ReactElement {
  return <span className={css["sweep"]} aria-hidden="true" />;
}
