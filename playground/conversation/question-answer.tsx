// The form for a question that a running call asks. The server of the tool wrote the text and the schema, so both are shown as text.

import type { ReactElement } from "react";
import type { JsonObject, PendingCall, ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { objectOf } from "../kit/json-value.ts";
import { ErrorNote } from "../kit/note.tsx";
import { FormOfSchema } from "../schema-form/form-of-schema.tsx";
import { useAnswer } from "./call-context.ts";

import css from "./pending.module.css";

interface QuestionAnswerProps {
  handle: ThreadHandle;
  call: PendingCall;
  args: JsonObject | string;
}

const nothing: JsonObject = {};

export function QuestionAnswer({ handle, call, args }: QuestionAnswerProps): ReactElement {
  const { message, schema } = typeof args === "string" ? nothing : args;
  const answer = useAnswer((content: JsonObject) => handle.tools.answer(call.id, content));
  const decline = useAnswer(() => handle.tools.decline(call.id));
  const dismiss = useAnswer(() => handle.tools.fail(call.id, "The person dismissed the question."));
  const all = [answer, decline, dismiss];
  const busy = all.some(({ isPending }) => isPending);
  const error = all.find((each) => each.error !== null)?.error ?? null;
  return (
    <div className={css["form"]}>
      <p className={css["question"]}>{typeof message === "string" ? message : ""}</p>
      <FormOfSchema
        schema={objectOf(schema) ?? nothing}
        value={nothing}
        label={`Answer to ${call.name}`}
        onSubmit={(content) => answer.mutate(content)}
      >
        {error === null ? null : <ErrorNote title="This was not accepted" error={error} />}
        <FormEnd>
          <Button kind="quiet" onClick={() => dismiss.mutate()} disabled={busy}>
            Dismiss
          </Button>
          <Button onClick={() => decline.mutate()} disabled={busy}>
            Decline
          </Button>
          <Button kind="primary" type="submit" disabled={busy}>
            {answer.isPending ? "Answering…" : "Answer"}
          </Button>
        </FormEnd>
      </FormOfSchema>
    </div>
  );
}
