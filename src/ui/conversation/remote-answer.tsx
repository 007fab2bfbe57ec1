// The answer of a tool that has no function of its own: what a client's code would return, written by hand.

import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { ReactElement } from "react";

import type { Json, JsonObject, OpenCall, ThreadHandle } from "#client/index.ts";

import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { JsonView } from "./json-view.tsx";

import field from "../kit/field.module.css";
import css from "./pending.module.css";

interface RemoteAnswerProps {
  handle: ThreadHandle;
  call: OpenCall;
  args: JsonObject | string;
}

/** The form. What is JSON is sent as JSON, everything else as text. */
export function RemoteAnswer({ handle, call, args }: RemoteAnswerProps): ReactElement {
  const id = useId();
  const [text, setText] = useState("");
  const post = useMutation({
    mutationFn: (failed: boolean) =>
      failed
        ? handle.tools.fail(call.id, text === "" ? "The tool failed." : text)
        : handle.tools.answer(call.id, readAnswer(text)),
  });
  return (
    <form
      className={css["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        post.mutate(false);
      }}
    >
      <JsonView label="Arguments" value={args} />
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
            client.tools({"{"} {call.name}: … {"}"})
          </code>
          .
        </p>
      </div>
      {post.error === null ? null : <ErrorNote title="That was not taken" error={post.error} />}
      <FormEnd>
        <Button onClick={() => post.mutate(true)} disabled={post.isPending}>
          Answer with a failure
        </Button>
        <Button kind="primary" type="submit" disabled={post.isPending}>
          {post.isPending ? "Answering…" : "Answer"}
        </Button>
      </FormEnd>
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
