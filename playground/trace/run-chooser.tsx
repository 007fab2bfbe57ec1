// Chooses the run of the thread whose trace is shown: the runs, newest first.

import type { ReactElement } from "react";
import type { Run } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { clock } from "../kit/figures.ts";
import { StatusMark, statusWords } from "../kit/status.tsx";
import type { KnownRuns } from "./use-runs.ts";

import css from "./trace.module.css";

interface RunChooserProps {
  known: KnownRuns;
  chosen: string;
  onChoose: (id: string) => void;
}

export function RunChooser({ known: { runs, more }, chosen, onChoose }: RunChooserProps): ReactElement {
  const run = runs.find(({ id }) => id === chosen);
  return (
    <div className={css["chooser"]}>
      {run === undefined ? null : <StatusMark status={run.status} />}
      <select
        aria-label="Run"
        className={css["select"]}
        value={chosen}
        onChange={({ target }) => onChoose(target.value)}
      >
        {run === undefined ? <option value={chosen}>Run {chosen.slice(-6)}</option> : null}
        {runs.map((one) => (
          <option key={one.id} value={one.id}>
            {wordsOf(one)}
          </option>
        ))}
      </select>
      {more === null ? null : (
        <Button small kind="quiet" onClick={more}>
          Older runs
        </Button>
      )}
    </div>
  );
}

function wordsOf({ status, started_at, created_at, ended_at, text, steps }: Run): string {
  const said = text === null ? "" : ` · ${text.replaceAll(/\s+/g, " ").slice(0, 40)}`;
  const length = ended_at === null ? "" : ` · ${steps} ${steps === 1 ? "step" : "steps"}`;
  return `${clock(started_at ?? created_at)} · ${statusWords(status)}${length}${said}`;
}
