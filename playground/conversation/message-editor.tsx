// Edits a message's text in place. The edited text changes later requests; no run starts, which the editor states before the text is saved.

import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import type { SubmitEvent, ReactElement } from "react";
import type { MessageView, ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { FormEnd } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { isVisible } from "../kit/visible-text.ts";
import { draftOf, keepDraft, useDraft } from "./message-drafts.ts";

import css from "./message.module.css";

interface MessageEditorProps {
  handle: ThreadHandle;
  message: MessageView;
  /** Whether an answer is below the message. */
  answered: boolean;
  onDone: () => void;
}

/** Whether the message was being edited when it was last rendered: the list unmounts rows that are out of view. */
export function isBeingEdited({ id }: MessageView): boolean {
  return draftOf(draftKey(id)) !== "";
}

/** The draft of an emptied text, because an empty draft means no draft. */
const emptied = "\n";

function draftKey(messageId: string): string {
  return `message ${messageId}`;
}

export function MessageEditor({ handle, message, answered, onDone }: MessageEditorProps): ReactElement {
  const help = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // In the next frame, because the menu that opened the editor passes its focus on when it closes.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const [draft, write] = useDraft(draftKey(message.id));
  const text = draft === "" ? (message.content ?? "") : draft === emptied ? "" : draft;
  const done = (): void => {
    keepDraft(draftKey(message.id), "");
    onDone();
  };
  const save = useMutation({
    mutationFn: () => handle.messages.patch(message.id, { content: text }),
    onSuccess: done,
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
        aria-describedby={help}
        ref={field}
        value={text}
        onChange={(event) => write(event.target.value === "" ? emptied : event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") done();
        }}
      />
      <p id={help} className={css["effect"]}>
        {effectOf(message, answered)}
      </p>
      {save.error === null ? null : <ErrorNote title="The message was not changed" error={save.error} />}
      <FormEnd>
        <Button small kind="quiet" onClick={done}>
          Cancel
        </Button>
        <Button small kind="primary" type="submit" disabled={save.isPending || !isVisible(text)}>
          Save
        </Button>
      </FormEnd>
    </form>
  );
}

/** What happens when the text is saved. */
function effectOf({ role }: MessageView, answered: boolean): string {
  if (role === "assistant") return "Saving starts no run. Later runs read this text in place of the model's answer.";
  return answered
    ? "Saving starts no run. The answers below stay as they are, and later runs read the new text."
    : "Saving starts no run. Later runs read the new text.";
}
