// A form for a run that is suspended at a limit: the run resumes once the limit is raised.

import { useState } from "react";
import type { ReactElement } from "react";
import type { JsonObject, ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { FormEnd, TextField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { useAnswer } from "./call-context.ts";

import css from "./pending.module.css";

const amounts = ["steps", "turns", "tokens", "duration_ms", "cost"] as const;

export function LimitForm({ handle, args }: { handle: ThreadHandle; args: JsonObject | string }): ReactElement {
  const given = typeof args === "string" ? {} : args;
  const amount = amounts.find((one) => one === given["amount"]) ?? "steps";
  const used = Number(given["used"] ?? 0);
  const [raised, setRaised] = useState(String(Math.max(Number(given["allowed"] ?? 1), used) * 2));
  const go = useAnswer(() => handle.runs.post({ kind: "continue", limits: { [amount]: Number(raised) } }));
  return (
    <form
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        go.mutate();
      }}
    >
      <TextField
        label={`Raise ${amount.replaceAll("_", " ")} to`}
        type="number"
        min={used}
        step="any"
        value={raised}
        onChange={(event) => setRaised(event.target.value)}
        help={`${used} used of ${Number(given["allowed"] ?? 0)} allowed.`}
      />
      {go.error === null ? null : <ErrorNote title="The run does not go on" error={go.error} />}
      <FormEnd>
        <Button kind="primary" type="submit" disabled={go.isPending || !(Number(raised) > used)}>
          Continue
        </Button>
      </FormEnd>
    </form>
  );
}
