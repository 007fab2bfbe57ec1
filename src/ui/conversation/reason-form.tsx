// Why something is not done, in words that the model reads.

import { useState } from "react";
import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";
import { FormEnd, TextField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";

import css from "./pending.module.css";

interface ReasonFormProps {
  label: string;
  help: string;
  /** On the button that sends it. */
  does: string;
  danger?: boolean;
  busy: boolean;
  error: Error | null;
  onBack: () => void;
  /** Undefined where nothing was written. */
  onSubmit: (reason: string | undefined) => void;
}

/** The form. */
export function ReasonForm({ label, help, does, danger = false, ...about }: ReasonFormProps): ReactElement {
  const { busy, error, onBack, onSubmit } = about;
  const [reason, setReason] = useState("");
  return (
    <form
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(reason.trim() === "" ? undefined : reason.trim());
      }}
    >
      <TextField
        label={label}
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        help={help}
      />
      {error === null ? null : <ErrorNote title="That was not taken" error={error} />}
      <FormEnd>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
        <Button kind={danger ? "danger" : "primary"} type="submit" disabled={busy}>
          {does}
        </Button>
      </FormEnd>
    </form>
  );
}
