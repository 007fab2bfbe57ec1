// Shows that a call is running, and for how long.

import { useEffect, useState } from "react";
import type { ReactElement } from "react";

import { duration } from "../kit/duration.ts";
import { Sweep } from "../kit/sweep.tsx";

import css from "./invoke.module.css";

const tickMs = 100;

/** The running time; it starts when the component is first rendered. */
export function RunningTime(): ReactElement {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const begun = performance.now();
    const timer = setInterval(() => setPassed(performance.now() - begun), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className={css["running"]}>
      <Sweep />
      <span role="status">Running</span>
      <span className={css["figure"]}>{duration(passed)}</span>
    </p>
  );
}
