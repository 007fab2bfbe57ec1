// The view of a file: its path, its metadata, its actions, and its content in the form for its kind.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";
import { Link } from "wouter";

import { Button, IconButton, IconLink } from "../kit/button.tsx";
import { copyText } from "../kit/copy-text.ts";
import { ago, bytes, iso } from "../kit/figures.ts";
import { Menu } from "../kit/menu.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useNow } from "../kit/now.ts";
import { VisibleName } from "../kit/visible-name.tsx";
import { visibleText } from "../kit/visible-text.ts";
import { DownloadButton } from "./download-button.tsx";
import { EditFile } from "./edit/edit-file.tsx";
import type { FilePlace, FileQuery } from "./file-address.ts";
import { foldersAbove, nameOf, parentOf } from "./path.ts";
import { kindOf } from "./preview/file-kind.ts";
import type { FileKind } from "./preview/file-kind.ts";
import { FilePreview } from "./preview/file-preview.tsx";
import type { Shape } from "./preview/file-preview.tsx";
import { isGone } from "./tree/use-folders.ts";

import css from "./file-view.module.css";

interface FileViewProps {
  handle: ThreadHandle;
  path: string;
  query: FileQuery;
  href: (place: FilePlace, query?: Partial<FileQuery>) => string;
  go: (place: FilePlace, query?: Partial<FileQuery>, replace?: boolean) => void;
  onDelete: (file: FileRecord) => void;
}

/** Kinds that can be shown in two ways; the first one is the default. */
const shapes: Partial<Record<FileKind, readonly { shape: Shape; label: string }[]>> = {
  markdown: [
    { shape: "made", label: "Rendered" },
    { shape: "source", label: "Source" },
  ],
  json: [
    { shape: "made", label: "Indented" },
    { shape: "source", label: "Source" },
  ],
  drawing: [
    { shape: "made", label: "Picture" },
    { shape: "source", label: "Source" },
  ],
};

const editable: ReadonlySet<FileKind> = new Set(["text", "markdown", "json", "drawing"]);

export function FileView(props: FileViewProps): ReactElement {
  const { handle, path, href, go } = props;
  const { data, error, refetch } = useRecord(handle, path);
  const isFolder = data?.isDirectory === true;
  useEffect(() => {
    if (isFolder) go({ path, folder: true }, {}, true);
  }, [isFolder, path, go]);
  if (data === null || isGone(error)) {
    return (
      <EmptyNote title="There is no such file">
        <p>
          <VisibleName name={path} /> does not exist in this thread. This page shows it as soon as it is written.
        </p>
        <Link href={href({ path: parentOf(path), folder: true })}>To its folder</Link>
      </EmptyNote>
    );
  }
  if (data === undefined || isFolder) {
    return error === null ? (
      <LoadingNote what={visibleText(nameOf(path))} />
    ) : (
      <ErrorNote title="The file could not be found" error={error} onRetry={() => void refetch()} />
    );
  }
  return <Shown {...props} file={data} />;
}

function Shown({ handle, file, query, href, go, onDelete }: FileViewProps & { file: FileRecord }): ReactElement {
  const { path } = file;
  const now = useNow();
  const kind = kindOf(file);
  const ways = shapes[kind] ?? [];
  const [chosen, setChosen] = useState<Shape | null>(null);
  // A highlighted line refers to the source.
  const shape = chosen ?? (query.line !== null ? "source" : "made");
  const here = { path, folder: false };
  const { find, by, below } = query;
  const search = useMemo(() => ({ find, by, below }), [find, by, below]);
  return (
    <>
      <header className={css["head"]}>
        <span className={css["back"]}>
          <IconLink icon="back" label="Back to the files" href={href({ path: parentOf(path), folder: true }, search)} />
        </span>
        <div className={css["names"]}>
          <nav className={css["way"]} aria-label="Folders above">
            {foldersAbove(path).map((folder) => (
              <Link key={folder} href={href({ path: folder, folder: true }, search)}>
                <VisibleName name={nameOf(folder)} />
              </Link>
            ))}
          </nav>
          <h2 className={css["title"]}>
            <VisibleName name={file.name} />
          </h2>
          <p className={css["facts"]}>
            <span>{bytes(file.size)}</span>
            <span>{(file.mimeType.split(";")[0] ?? "").trim()}</span>
            {file.updatedAt === undefined ? null : (
              <time dateTime={iso(file.updatedAt)} title={iso(file.updatedAt)}>
                {ago(file.updatedAt, now)}
              </time>
            )}
          </p>
        </div>
        <div className={css["actions"]}>
          {ways.length === 0 || query.editing ? null : (
            <fieldset className={css["shapes"]}>
              <legend className="visually-hidden">Shown as</legend>
              {ways.map((one) => (
                <label key={one.shape} className={css["shape"]}>
                  <input
                    type="radio"
                    name="shape"
                    checked={shape === one.shape}
                    onChange={() => setChosen(one.shape)}
                  />
                  <span>{one.label}</span>
                </label>
              ))}
            </fieldset>
          )}
          {editable.has(kind) && !query.editing ? (
            <Button small icon="edit" onClick={() => go(here, { ...search, editing: true })}>
              Edit
            </Button>
          ) : null}
          <DownloadButton handle={handle} file={file} />
          <Menu
            trigger={<IconButton icon="more" label="More about this file" />}
            entries={[
              { label: "Copy its path", icon: "copy", run: () => void copyText(path) },
              { label: "Delete", icon: "trash", danger: true, run: () => onDelete(file) },
            ]}
          />
        </div>
      </header>
      <div className={css["body"]}>
        {query.editing ? (
          <EditFile handle={handle} file={file} onClose={() => go(here, search, true)} />
        ) : (
          <FilePreview handle={handle} file={file} kind={kind} shape={shape} line={query.line} />
        )}
      </div>
    </>
  );
}

/** The file's record, updated by events; null once an event reports its deletion. */
function useRecord(handle: ThreadHandle, path: string) {
  const queries = useQueryClient();
  const key = useMemo(() => ["files", handle.id, "record", path], [handle, path]);
  useEffect(
    () =>
      handle.on("file_changed", ({ path: changed, file }) => {
        if (changed !== path) return;
        // The response to a request under way may be older than the event.
        void queries.cancelQueries({ queryKey: key, exact: true }).then(() => queries.setQueryData(key, file));
      }),
    [handle, path, queries, key],
  );
  return useQuery<FileRecord | null>({
    queryKey: key,
    queryFn: ({ signal }) => handle.files.stat(path, { signal }),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}
