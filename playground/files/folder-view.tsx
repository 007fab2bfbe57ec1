// The view of a folder next to the tree: the number and size of its entries, and buttons that add files to it.

import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";
import { bytes, count } from "../kit/figures.ts";
import { VisibleName } from "../kit/visible-name.tsx";
import { nameOf } from "./path.ts";
import type { Folder } from "./tree/folder-cache.ts";

import css from "./files-page.module.css";

interface FolderViewProps {
  path: string;
  folder: Folder | undefined;
  onUpload: () => void;
  onNewFile: () => void;
}

export function FolderView({ path, folder, onUpload, onNewFile }: FolderViewProps): ReactElement {
  const entries = folder?.entries ?? [];
  const files = entries.filter(({ isDirectory }) => !isDirectory);
  const folders = entries.length - files.length;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <div className={css["folder"]}>
      <h2 className={css["folderName"]}>{path === "/" ? "All files" : <VisibleName name={nameOf(path)} />}</h2>
      {folder?.state !== "there" ? null : (
        <p className={css["folderFacts"]}>
          {[
            ...(folders === 0 ? [] : [`${count(folders)} ${folders === 1 ? "folder" : "folders"}`]),
            ...(files.length === 0
              ? []
              : [`${count(files.length)} ${files.length === 1 ? "file" : "files"}, ${bytes(size)}`]),
          ].join(", ") || "Empty"}
        </p>
      )}
      <p className={css["folderHint"]}>
        Choose a file to read or change it. What you drop or paste here goes into this folder.
      </p>
      <div className={css["folderActions"]}>
        <Button icon="upload" onClick={onUpload}>
          Upload here
        </Button>
        <Button icon="plus" onClick={onNewFile}>
          New file
        </Button>
      </div>
    </div>
  );
}

/** Shown for a thread without files. */
export function NoFiles({ onUpload, onNewFile }: Pick<FolderViewProps, "onUpload" | "onNewFile">): ReactElement {
  return (
    <div className={css["folder"]}>
      <h2 className={css["folderName"]}>No files yet</h2>
      <p className={css["folderHint"]}>
        What is attached to a message is kept here, and so is whatever a tool writes. In its function:
      </p>
      <pre className={css["example"]} tabIndex={0} aria-label="Example of a tool that writes a file">
        {'await state.writeFile(\n  "/notes/plan.md",\n  "# Plan",\n  "text/markdown",\n);'}
      </pre>
      <p className={css["folderHint"]}>Or begin by yourself: drop files here, paste them, or</p>
      <div className={css["folderActions"]}>
        <Button kind="primary" icon="upload" onClick={onUpload}>
          Upload files
        </Button>
        <Button icon="plus" onClick={onNewFile}>
          New file
        </Button>
      </div>
    </div>
  );
}
