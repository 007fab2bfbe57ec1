// The head of a thread's files page: a link back, the number and size of the files, and the buttons that add files.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ReactElement } from "react";
import type { FileRecord, Thread, ThreadHandle } from "threadhold/client";

import { browserTimers } from "../kit/browser-timers.ts";
import { Button, IconButton, IconLink } from "../kit/button.tsx";
import { bytes, count } from "../kit/figures.ts";
import { loadAgain } from "../kit/load-again.ts";
import { Menu } from "../kit/menu.tsx";
import { visibleText } from "../kit/visible-text.ts";
import { threadPath, useNameOf } from "../threads/thread-title.ts";

import css from "./files-page.module.css";

/** Milliseconds after a change before the files are counted again, so that several changes need one count. */
const settleMs = 300;

interface FilesHeadProps {
  handle: ThreadHandle;
  thread: Thread | null;
  /** The open folder, unless it is the root. */
  folder: FileRecord | undefined;
  onUpload: () => void;
  onNew: (kind: "file" | "folder") => void;
  onDelete: (file: FileRecord) => void;
}

export function FilesHead({ handle, thread, folder, onUpload, onNew, onDelete }: FilesHeadProps): ReactElement {
  const nameOf = useNameOf();
  const { data: stats } = useStats(handle);
  return (
    <header className={css["head"]}>
      <IconLink icon="back" label="Back to the conversation" href={threadPath(handle.id)} />
      <div className={css["names"]}>
        <h1 className={css["title"]}>{thread === null ? "Files" : `Files of ${nameOf(thread)}`}</h1>
        <p className={css["facts"]} data-stats={stats?.fileCount}>
          {stats === undefined ? (
            <span>…</span>
          ) : (
            <>
              <span>
                {count(stats.fileCount)} {stats.fileCount === 1 ? "file" : "files"}
              </span>
              <span>
                {count(stats.directoryCount)} {stats.directoryCount === 1 ? "folder" : "folders"}
              </span>
              <span>{bytes(stats.totalSize)}</span>
            </>
          )}
        </p>
      </div>
      <Menu
        trigger={<IconButton icon="plus" label="New, and more" />}
        entries={[
          { label: "New file", icon: "file", run: () => onNew("file") },
          { label: "New folder", icon: "folder", run: () => onNew("folder") },
          ...(folder === undefined
            ? []
            : [
                {
                  label: `Delete the folder ${visibleText(folder.name)}`,
                  icon: "trash" as const,
                  danger: true,
                  run: () => onDelete(folder),
                },
              ]),
        ]}
      />
      <Button small icon="upload" onClick={onUpload}>
        Upload
      </Button>
    </header>
  );
}

/** The number and size of the files, loaded again after changes. */
function useStats(handle: ThreadHandle) {
  const queries = useQueryClient();
  useEffect(() => {
    let callOff: (() => void) | null = null;
    const leave = handle.on("file_changed", () => {
      callOff ??= browserTimers.after(settleMs, () => {
        callOff = null;
        void loadAgain(queries, ["files", handle.id, "stats"]);
      });
    });
    return () => {
      leave();
      callOff?.();
    };
  }, [handle, queries]);
  return useQuery({
    queryKey: ["files", handle.id, "stats"],
    queryFn: ({ signal }) => handle.files.stats({ signal }),
    staleTime: 0,
  });
}
