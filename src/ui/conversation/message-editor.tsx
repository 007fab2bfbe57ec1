// A message's words, changed in place. What a model said is changed for what comes after, not asked again.

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { SubmitEvent, ReactElement } from "react";

import type { MessageView, ThreadHandle } from "#client/index.ts";

import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";

import css from "./message.module.css";

interface MessageEditorProps {
  handle: ThreadHandle;
  message: MessageView;
  onDone: () => void;
}

/** The editor. */
export function MessageEditor({ handle, message, onDone }: MessageEditorProps): ReactElement {
  const [text, setText] = useState(message.content ?? "");
  const save = useMutation({
    mutationFn: () => handle.messages.patch(message.id, { content: text }),
    onSuccess: onDone,
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className={css["editor"]}>
      <textarea
        className={css["editing"]}
        aria-label="Text of the message"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onDone();
        }}
      />
      {save.error === null ? null : <ErrorNote title="The message was not changed" error={save.error} />}
      <FormEnd>
        <Button small kind="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button small kind="primary" type="submit" disabled={save.isPending || text.trim() === ""}>
          Save
        </Button>
      </FormEnd>
    </form>
  );
}
