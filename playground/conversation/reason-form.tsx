// A form for the reason of a refusal, which the model reads. The typed text is kept while the form is closed.

import { useRef, useState } from "react";
import type { ReactElement, RefObject } from "react";
import { flushSync } from "react-dom";

import { Button } from "../kit/button.tsx";
import { FormEnd, TextField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";

import css from "./pending.module.css";

/** Whether the form is open, and the typed text. */
export interface Reason {
  asking: boolean;
  text: string;
  setText: (text: string) => void;
  ask: () => void;
  back: () => void;
  /** The button that opens the form; it gets the focus again after `back`. */
  opener: RefObject<HTMLButtonElement | null>;
}

export function useReason(): Reason {
  const [asking, setAsking] = useState(false);
  const [text, setText] = useState("");
  const opener = useRef<HTMLButtonElement>(null);
  const back = (): void => {
    flushSync(() => setAsking(false));
    opener.current?.focus();
  };
  return { asking, text, setText, ask: () => setAsking(true), back, opener };
}

interface ReasonFormProps {
  reason: Reason;
  label: string;
  /** The label of the button that sends the reason. */
  does: string;
  danger?: boolean;
  busy: boolean;
  error: Error | null;
  /** Called with undefined if no reason was typed. */
  onSubmit: (reason: string | undefined) => void;
}

export function ReasonForm({ reason, label, does, danger = false, ...about }: ReasonFormProps): ReactElement {
  const { busy, error, onSubmit } = about;
  return (
    <form
      className={css["form"]}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        reason.back();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const text = reason.text.trim();
        onSubmit(text === "" ? undefined : text);
      }}
    >
      <TextField
        label={label}
        autoFocus
        value={reason.text}
        onChange={(event) => reason.setText(event.target.value)}
        help="The model reads this. It may be left empty."
      />
      {error === null ? null : <ErrorNote title="This was not accepted" error={error} />}
      <FormEnd>
        <Button kind="quiet" onClick={reason.back}>
          Back
        </Button>
        <Button kind={danger ? "danger" : "primary"} type="submit" disabled={busy}>
          {does}
        </Button>
      </FormEnd>
    </form>
  );
}
