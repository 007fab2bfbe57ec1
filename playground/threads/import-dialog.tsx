// The dialog that imports an exported thread from a chosen or dropped file, with its progress and errors. Afterwards
// the thread is opened.

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ReactElement } from "react";
import { ThreadholdClientError } from "threadhold/client";
import type { UploadProgress } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { Link, useLocation } from "wouter";

import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { FormEnd } from "../kit/field.tsx";
import { bytes } from "../kit/figures.ts";
import { ErrorNote } from "../kit/note.tsx";
import { headOf, importThread } from "./import-thread.ts";
import { threadPath } from "./thread-title.ts";

import css from "./import-dialog.module.css";

interface ImportDialogProps {
  /** The dropped file; null if the user has to choose one. */
  file: File | null;
  onClose: () => void;
}

/** The dialog; it is mounted only while it is open, and closing it stops the import. */
export function ImportDialog({ file, onClose }: ImportDialogProps): ReactElement {
  const client = useThreadholdClient();
  const [, navigate] = useLocation();
  const [progress, setProgress] = useState<UploadProgress | null>(null);
  const leave = useRef<AbortController | null>(null);
  const choose = useRef<HTMLInputElement>(null);
  const bring = useMutation({
    // Otherwise a request that waits for the network would be sent after the dialog was closed.
    networkMode: "always",
    mutationFn: (given: File) => {
      leave.current = new AbortController();
      setProgress(null);
      return importThread(client, given, { signal: leave.current.signal, onProgress: setProgress });
    },
    onSuccess: ({ id }) => {
      onClose();
      navigate(threadPath(id));
    },
  });
  const { mutate, isPending, error, variables } = bring;
  useEffect(() => {
    if (file === null) return undefined;
    // Delayed, so that a component that is mounted twice, as in development, sends nothing the first time.
    const timer = setTimeout(() => mutate(file));
    return () => clearTimeout(timer);
  }, [file, mutate]);
  useEffect(() => () => leave.current?.abort(), []);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Import a thread"
      about="A file that a thread was exported to, here or elsewhere."
    >
      <div className={css["place"]}>
        {isPending ? <Sending name={variables.name} progress={progress} /> : null}
        {error === null ? null : (
          <>
            <ErrorNote title="The thread was not imported" error={error} />
            {isTaken(error) && variables !== undefined ? <Taken file={variables} onOpen={onClose} /> : null}
          </>
        )}
        <input
          ref={choose}
          type="file"
          accept=".ndjson,application/x-ndjson"
          hidden
          data-import
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen !== undefined) mutate(chosen);
            event.target.value = "";
          }}
        />
        <FormEnd>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" disabled={isPending} onClick={() => choose.current?.click()}>
            {error === null ? "Choose a file" : "Choose another file"}
          </Button>
        </FormEnd>
      </div>
    </Dialog>
  );
}

function Sending({ name, progress }: { name: string; progress: UploadProgress | null }): ReactElement {
  const { loaded = 0, total = null } = progress ?? {};
  const sent = total !== null && loaded >= total;
  return (
    <div className={css["sending"]} role="status">
      <span className={css["name"]}>{name}</span>
      <span className={css["figure"]}>
        {sent ? "being checked" : total === null ? "begins" : `${bytes(loaded)} of ${bytes(total)}`}
      </span>
      <progress
        className={css["progress"]}
        {...(sent || total === null ? {} : { value: loaded, max: total })}
        aria-label={`Import of ${name}`}
      />
    </div>
  );
}

function isTaken(error: Error): boolean {
  return error instanceof ThreadholdClientError && error.code === "conflict";
}

/** A link to the existing thread with the same id. */
function Taken({ file, onOpen }: { file: File; onOpen: () => void }): ReactElement | null {
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    headOf(file).then(
      ({ threadId }) => setId(threadId),
      () => setId(null),
    );
  }, [file]);
  if (id === null) return null;
  return (
    <p>
      <Link href={threadPath(id)} onClick={onOpen}>
        Open the thread that is there
      </Link>
    </p>
  );
}
