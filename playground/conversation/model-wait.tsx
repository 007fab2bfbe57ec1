// The line below the last message until the model's answer begins.

import type { ReactElement } from "react";

import { duration } from "../kit/duration.ts";
import { useSecond } from "../kit/use-second.ts";
import type { ModelWait } from "./use-model-wait.ts";

import css from "./message.module.css";

/** The line. Screen readers skip the seconds, because they change all the time. */
export function ModelWaitLine({ wait }: { wait: ModelWait }): ReactElement {
  const now = useSecond();
  const seconds = Math.floor(Math.max(0, now - wait.since) / 1000);
  return (
    <div className={css["note"]} data-waiting>
      <span className={css["noteTime"]} />
      <p className={css["noteText"]}>
        Waiting for the model
        {wait.attempt === 1 && wait.of === null
          ? ""
          : `, attempt ${wait.attempt}${wait.of === null ? "" : ` of ${wait.of}`}`}
        <span aria-hidden="true">{seconds === 0 ? "" : `, ${duration(seconds * 1000).replace(/\.\d+ s$/, " s")}`}</span>
      </p>
    </div>
  );
}
