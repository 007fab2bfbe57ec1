// The test of a model on its page: small requests with a text, a tool and a picture, and a table of what worked, how fast, and what it cost.

import type { ReactElement } from "react";

import { useCaller } from "../access/use-caller.ts";
import { Button } from "../kit/button.tsx";
import { duration } from "../kit/duration.ts";
import { count, money } from "../kit/figures.ts";
import { ErrorNote } from "../kit/note.tsx";
import { Part } from "./definition-facts.tsx";
import type { Model } from "./definition.ts";
import { RunningTime } from "./running-time.tsx";
import { useModelTest, type ModelTest as Test, type Trial } from "./use-model-test.ts";

import css from "./model-test.module.css";

/** The part of the page; nothing for a model that is not ready, or whose answers are scripted. */
export function ModelTest({ model: { name, provider, ready } }: { model: Model }): ReactElement | null {
  const caller = useCaller();
  const test = useModelTest(name);
  if (!ready || provider === "test") return null;
  const { trials, running, error, start, stop } = test;
  return (
    <Part title="Test">
      {caller?.admin === false ? (
        <p className={css["about"]}>Only administrators may test a model, because each test costs a few tokens.</p>
      ) : (
        <>
          <p className={css["about"]}>
            Sends up to three small requests to the model: a text, a call of a tool, and a picture. They cost a few
            tokens.
          </p>
          <p className={css["actions"]}>
            {/* One button, so that it keeps the focus. */}
            <Button kind={running === null ? "primary" : "plain"} onClick={running === null ? start : stop}>
              {running === null ? "Test the model" : "Stop the test"}
            </Button>
          </p>
        </>
      )}
      {running === null ? null : <RunningTime key={running} />}
      {error === null ? null : <ErrorNote title="The model could not be tested" error={error} action />}
      <div aria-live="polite">
        {trials.length === 0 ? null : <Results trials={trials} />}
        {running === null && !test.isOver ? null : <p className={css["about"]}>{summaryOf(test)}</p>}
      </div>
    </Part>
  );
}

const names: Readonly<Record<Trial["kind"], string>> = { text: "Text", tool: "Tool", picture: "Picture" };

function Results({ trials }: { trials: readonly Trial[] }): ReactElement {
  return (
    // A scrollable element has to be reachable by keyboard.
    <div className={css["scroll"]} tabIndex={0} role="region" aria-label="Results of the test">
      <table className={css["table"]}>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            <th scope="col">Result</th>
            <th scope="col">Time</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {trials.map(({ kind, ok, detail, fix, duration_ms: ms, tokens, cost }) => (
            <tr key={kind} data-ok={ok}>
              <th scope="row">{names[kind]}</th>
              <td className={css["result"]}>
                <strong>{ok ? "Worked." : "Failed."}</strong> {detail}
                {fix === null ? null : <span className={css["fix"]}>To do: {fix}.</span>}
              </td>
              <td className={css["figure"]}>{duration(ms)}</td>
              <td className={css["figure"]}>
                {tokens === null ? "none" : `${count(tokens.input)} + ${count(tokens.output)}`}
              </td>
              <td className={css["figure"]}>{tokens === null ? "none" : money(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the results mean together. */
function summaryOf({ trials, running, isStopped }: Test): string {
  if (running !== null) return `Testing: ${names[running].toLowerCase()}.`;
  if (isStopped) return "The test was stopped.";
  if (trials.some(({ kind, ok }) => kind === "text" && !ok))
    return "Without an answer to the text, nothing else was sent.";
  const untried = (["tool", "picture"] as const).filter((kind) => trials.every((trial) => trial.kind !== kind));
  const excluded =
    untried.length === 0
      ? ""
      : ` Not tried, because the definition or the catalogue excludes it: ${untried.join(" and ")}.`;
  return `${trials.every(({ ok }) => ok) ? "All that was tried worked." : "Not everything worked."}${excluded}`;
}
