// The dialog that creates a file or folder in the current folder. A name with slashes creates the folders in between.

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactElement, SubmitEvent } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { FormEnd, TextField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { visibleText } from "../kit/visible-text.ts";
import { joined } from "./path.ts";
import { isTaken } from "./upload/thread-uploads.ts";

import css from "./files-page.module.css";

interface NewEntryDialogProps {
  handle: ThreadHandle;
  kind: "file" | "folder";
  folder: string;
  onClose: () => void;
  onMade: (made: FileRecord) => void;
}

/** The dialog; it is mounted only while it is open. */
export function NewEntryDialog({ handle, kind, folder, onClose, onMade }: NewEntryDialogProps): ReactElement {
  const [name, setName] = useState("");
  const make = useMutation({
    mutationFn: async () => {
      const path = joined(folder, name.trim().replace(/^\/+/, ""));
      if (kind === "folder") return handle.files.mkdir(path);
      try {
        return await handle.files.upload(path, "", { ifNoneMatch: "*" });
      } catch (thrown) {
        throw isTaken(thrown) ? new Error("There is one of this name already.", { cause: thrown }) : thrown;
      }
    },
    onSuccess(made) {
      onClose();
      onMade(made);
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (name.trim() !== "") make.mutate();
  };
  return (
    <Dialog open onClose={onClose} title={kind === "file" ? "New file" : "New folder"}>
      <form onSubmit={submit} className={css["form"]}>
        <TextField
          label="Name"
          value={name}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
          help={`In ${folder === "/" ? "the root" : visibleText(folder)}. Slashes make folders.`}
        />
        {make.error === null ? null : <ErrorNote title="Nothing was made" error={make.error} />}
        <FormEnd>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={make.isPending || name.trim() === ""}>
            {make.isPending ? "Making it…" : "Make it"}
          </Button>
        </FormEnd>
      </form>
    </Dialog>
  );
}
