// The outcome of the last call that was removed from the inbox while the user worked on it. Screen readers announce it.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { IconButton } from "../kit/button.tsx";

import css from "./inbox.module.css";

/** The outcome: the answer was accepted; the call was settled before the answer arrived; or it disappeared before there was an answer. */
export type Outcome = { type: "answered" | "elsewhere"; name: string; title: string; place: string } | { type: "gone" };

/** The note. Its element is always there, because screen readers announce changes inside of it. */
export function OutcomeNote({ outcome, onDismiss }: { outcome: Outcome | null; onDismiss: () => void }): ReactElement {
  return (
    <div role="status" aria-label="Last answer" className={css["last"]}>
      {outcome === null ? null : (
        <div className={css["outcome"]} data-type={outcome.type}>
          <p>{wordsOf(outcome)}</p>
          <IconButton icon="close" label="Dismiss" onClick={onDismiss} />
        </div>
      )}
    </div>
  );
}

function wordsOf(outcome: Outcome): ReactElement {
  if (outcome.type === "gone") {
    return <>The call was answered elsewhere, or its time was up, before you sent an answer. Nothing was sent.</>;
  }
  const link = <Link href={outcome.place}>{outcome.title}</Link>;
  return outcome.type === "answered" ? (
    <>
      {outcome.name} in {link} is answered.
    </>
  ) : (
    <>
      {outcome.name} in {link} was settled before your answer arrived, which was not used. Open the thread to see the
      outcome.
    </>
  );
}
