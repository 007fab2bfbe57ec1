// The editor of a text file: the field, the buttons to save and to cancel, and the choice after a conflict with another
// writer.

import { useEffect } from "react";
import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { Button } from "../../kit/button.tsx";
import { bytes, count } from "../../kit/figures.ts";
import { ErrorNote, LoadingNote } from "../../kit/note.tsx";
import { visibleText } from "../../kit/visible-text.ts";
import { BytesNote } from "../preview/bytes-note.tsx";
import { EditConflict } from "./edit-conflict.tsx";
import { EditorField } from "./editor-field.tsx";
import { drafts, dropDraft, isChanged } from "./file-drafts.ts";
import { mostEdited, useEditing } from "./use-editing.ts";

import css from "./editor.module.css";

interface EditFileProps {
  handle: ThreadHandle;
  file: FileRecord;
  /** Shows the file without the editor. */
  onClose: () => void;
}

export function EditFile({ handle, file, onClose }: EditFileProps): ReactElement {
  const editing = useEditing(handle, file);
  const { draft, saved, saving, saveError } = editing;
  const { id } = handle;
  const { path } = file;
  useEffect(
    () => () => {
      const kept = drafts.get().find((one) => one.threadId === id && one.path === path);
      if (kept !== undefined && !isChanged(kept)) dropDraft(kept);
    },
    [id, path],
  );
  if (draft === null && file.size > mostEdited) {
    return <BytesNote file={file} why={`A text of more than ${bytes(mostEdited)} is too large to be edited here.`} />;
  }
  if (!editing.isText) return <BytesNote file={file} why="Its bytes are no UTF-8 text, so it cannot be edited here." />;
  if (draft === null) {
    return editing.error === null ? (
      <LoadingNote what={visibleText(file.name)} />
    ) : (
      <ErrorNote title="The file could not be read" error={editing.error} onRetry={editing.retry} />
    );
  }
  const changed = isChanged(draft);
  const conflict = saved?.state === "conflict" ? saved : null;
  const close = (): void => {
    editing.drop();
    onClose();
  };
  return (
    <div className={css["editor"]}>
      {conflict === null ? null : (
        <EditConflict
          theirs={conflict.theirs}
          name={visibleText(file.name)}
          onTheirs={close}
          onMine={() => editing.save(conflict)}
          onLater={editing.settle}
          saving={saving}
        />
      )}
      {saveError === null ? null : (
        <ErrorNote title="Nothing was saved" error={saveError} action onRetry={() => editing.save()} />
      )}
      <EditorField
        label={`Text of ${visibleText(file.name)}`}
        text={draft.text}
        onText={editing.write}
        onSave={() => (changed && !saving ? editing.save() : undefined)}
      />
      <div className={css["bar"]}>
        <p className={css["state"]}>
          <span role="status">
            {saving ? "Saving…" : changed ? "Not saved" : saved?.state === "saved" ? "Saved" : "No changes"}
          </span>
          <span className={css["figure"]}>
            {count(draft.text.split("\n").length)} lines
            {draft.ends === "crlf" ? " · CRLF" : draft.ends === "mixed" ? " · mixed line ends, saved as LF" : ""}
          </span>
        </p>
        <span className={css["hint"]}>
          <kbd>Esc</kbd> <kbd>Tab</kbd> leaves the field
        </span>
        <Button small kind="quiet" onClick={close}>
          {changed ? "Drop changes" : "Close"}
        </Button>
        <Button small kind="primary" disabled={!changed || saving} onClick={() => editing.save()}>
          Save
        </Button>
      </div>
    </div>
  );
}
