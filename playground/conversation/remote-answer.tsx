// A form for the result of a tool without a function: the person enters what a client's code would return. If the tool
// has a schema for its results, the form follows it; otherwise it is a text field.

import { useId, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import type { Json, JsonObject, PendingCall, ThreadHandle } from "threadhold/client";

import { useTool } from "../agents/use-agents.ts";
import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { FormOfSchema } from "../schema-form/form-of-schema.tsx";
import { useAnswer } from "./call-context.ts";
import { JsonView } from "./json-view.tsx";
import { ReasonForm, useReason } from "./reason-form.tsx";

import field from "../kit/field.module.css";
import css from "./pending.module.css";

interface RemoteAnswerProps {
  handle: ThreadHandle;
  call: PendingCall;
  args: JsonObject | string;
}

const nothing: JsonObject = {};

export function RemoteAnswer({ handle, call, args }: RemoteAnswerProps): ReactElement {
  const tool = useTool(call.name);
  const reason = useReason();
  const answer = useAnswer((result: Json) => handle.tools.answer(call.id, result));
  const fail = useAnswer((text: string | undefined) => handle.tools.fail(call.id, text ?? "The tool failed."));
  // Waits for the tool's schema, so that the form is not shown first as a text field.
  if (tool === undefined) return <LoadingNote what="the form" />;
  const end = (
    <>
      {answer.error === null ? null : <ErrorNote title="This was not accepted" error={answer.error} />}
      <FormEnd>
        <Button ref={reason.opener} onClick={reason.ask} disabled={answer.isPending}>
          Report a failure
        </Button>
        <Button kind="primary" type="submit" disabled={answer.isPending}>
          {answer.isPending ? "Answering…" : "Answer"}
        </Button>
      </FormEnd>
    </>
  );
  return (
    <>
      {/* Hidden and not removed, so that the typed text is kept while the other form is open. */}
      <div hidden={reason.asking}>
        <div className={css["form"]}>
          <JsonView label="Arguments" value={args} />
          {tool?.result_schema == null ? (
            <TextAnswer name={call.name} onSubmit={(result) => answer.mutate(result)}>
              {end}
            </TextAnswer>
          ) : (
            <FormOfSchema
              schema={tool.result_schema}
              value={nothing}
              label={`Result of ${call.name}`}
              onSubmit={(result) => answer.mutate(result)}
            >
              {end}
            </FormOfSchema>
          )}
        </div>
      </div>
      {reason.asking ? (
        <ReasonForm
          reason={reason}
          label="Why it failed"
          does="Send the failure"
          busy={fail.isPending}
          error={fail.error}
          onSubmit={(text) => fail.mutate(text)}
        />
      ) : null}
    </>
  );
}

interface TextAnswerProps {
  name: string;
  onSubmit: (result: Json) => void;
  children: ReactNode;
}

/** A JSON object, list or string in the text is sent as JSON, any other text as a string. */
function TextAnswer({ name, onSubmit, children }: TextAnswerProps): ReactElement {
  const id = useId();
  const [text, setText] = useState("");
  return (
    <form
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(readAnswer(text));
      }}
    >
      <div className={field["field"]}>
        <label className={field["label"]} htmlFor={id}>
          Result
        </label>
        <textarea
          id={id}
          className={field["input"]}
          rows={2}
          value={text}
          aria-describedby={`${id}-help`}
          onChange={(event) => setText(event.target.value)}
        />
        <p id={`${id}-help`} className={field["help"]}>
          Text, or JSON. A client answers by itself with{" "}
          <code>
            client.tools({"{"} {name}: … {"}"})
          </code>
          .
        </p>
      </div>
      {children}
    </form>
  );
}

function readAnswer(text: string): Json {
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
