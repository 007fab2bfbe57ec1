// A call under way: that it is, and for how long.

import { useEffect, useState } from "react";
import type { ReactElement } from "react";

import { durationWords } from "./duration.ts";

import css from "./invoke.module.css";

const tickMs = 100;

/** The clock; it begins when it is first drawn. */
export function RunningTime(): ReactElement {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const begun = performance.now();
    const timer = setInterval(() => setPassed(performance.now() - begun), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className={css["running"]}>
      <span className={css["sweep"]} aria-hidden="true" />
      <span role="status">Running</span>
      <span className={css["figure"]}>{durationWords(passed)}</span>
    </p>
  );
}
