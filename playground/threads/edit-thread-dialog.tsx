// The dialog that edits a thread's title and tags.

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { SubmitEvent, ReactElement } from "react";
import type { Thread } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { FormEnd, TextField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { tagsOf } from "./tags.ts";

import css from "./new-thread-dialog.module.css";

interface EditThreadDialogProps {
  thread: Thread;
  onClose: () => void;
  /** Called once the server has stored the change. */
  onSaved: () => void;
}

/** The dialog; it is mounted only while it is open. */
export function EditThreadDialog({ thread, onClose, onSaved }: EditThreadDialogProps): ReactElement {
  const client = useThreadholdClient();
  const [title, setTitle] = useState(thread.title ?? "");
  const [tags, setTags] = useState(thread.tags.join(", "));
  const save = useMutation({
    mutationFn: () =>
      client.threads.patch(thread.id, { title: title.trim() === "" ? null : title.trim(), tags: tagsOf(tags) }),
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog open onClose={onClose} title="Rename and tag">
      <form onSubmit={submit} className={css["form"]}>
        <TextField label="Title" value={title} maxLength={500} onChange={(event) => setTitle(event.target.value)} />
        <TextField
          label="Tags"
          value={tags}
          onChange={(event) => setTags(event.target.value)}
          help="Separated by commas."
        />
        {save.error === null ? null : <ErrorNote title="Nothing was changed" error={save.error} />}
        <FormEnd>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={save.isPending}>
            {save.isPending ? "Saving…" : "Save"}
          </Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}
