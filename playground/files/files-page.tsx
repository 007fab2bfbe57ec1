// The page of a thread's files: the tree or the results of a search on one side, the file on the other; on a narrow
// page one after the other. The shown file is kept in the address.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ReactElement } from "react";
import { ThreadholdClientError } from "threadhold/client";
import type { FileRecord } from "threadhold/client";
import { useThread } from "threadhold/react";
import { Link, useLocation, useParams } from "wouter";
import { usePathname, useSearch } from "wouter/use-browser-location";

import { usePageTitle } from "../app/page-title.ts";
import { pagesPath } from "../app/place.ts";
import { ConnectionNote } from "../conversation/connection-note.tsx";
import { useFileDrop } from "../conversation/use-file-drop.ts";
import { useStore } from "../kit/create-store.ts";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { visibleText } from "../kit/visible-text.ts";
import { useNameOf } from "../threads/thread-title.ts";
import { drafts, isChanged } from "./edit/file-drafts.ts";
import { filesAddress, placeOf, plainQuery, queryFrom } from "./file-address.ts";
import type { FilePlace, FileQuery } from "./file-address.ts";
import { FileView } from "./file-view.tsx";
import { FilesHead } from "./files-head.tsx";
import { FolderView, NoFiles } from "./folder-view.tsx";
import { guardLeaving } from "./leave-guard.ts";
import { NewEntryDialog } from "./new-entry-dialog.tsx";
import { joined, nameOf, parentOf } from "./path.ts";
import { SearchForm } from "./search/search-form.tsx";
import { SearchResults } from "./search/search-results.tsx";
import { FileTree } from "./tree/file-tree.tsx";
import { rowsOf } from "./tree/tree-rows.ts";
import { useFolders } from "./tree/use-folders.ts";
import { useOpenFolders } from "./tree/use-open-folders.ts";
import { droppedFiles } from "./upload/dropped-files.ts";
import type { DroppedFile } from "./upload/dropped-files.ts";
import { uploadsOf } from "./upload/thread-uploads.ts";
import { UploadList } from "./upload/upload-list.tsx";
import { useFileDeletion, useHiddenFiles } from "./use-file-deletion.ts";

import css from "./files-page.module.css";

export function FilesPage(): ReactElement {
  const { id } = useParams<{ id: string }>();
  const { handle, thread, connection } = useThread(id);
  const [, navigate] = useLocation();
  const found = placeOf(usePathname().slice(pagesPath.length));
  const place = found ?? { path: "/", folder: true };
  const query = queryFrom(useSearch());
  const { cache, folders } = useFolders(handle);
  const [open, setOpen] = useOpenFolders({ cache, folders }, place);
  const hidden = useHiddenFiles(id);
  const [making, setMaking] = useState<"file" | "folder" | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const uploads = uploadsOf(handle);
  const unsaved = useUnsaved(id);
  const rows = useMemo(() => rowsOf({ folders, open, hidden }), [folders, open, hidden]);
  const titleOf = useNameOf();
  const root = folders.get("/");
  const here = place.folder ? place.path : parentOf(place.path);
  const name = place.path === "/" ? "Files" : visibleText(nameOf(place.path));
  usePageTitle(thread === null ? name : `${name} · ${titleOf(thread)}`);

  const href = useCallback((to: FilePlace, change: Partial<FileQuery> = {}) => filesAddress(id, to, change), [id]);
  const go = useCallback(
    (to: FilePlace, change: Partial<FileQuery> = {}, replace = false) => navigate(href(to, change), { replace }),
    [navigate, href],
  );
  const remove = useFileDeletion(handle, (path) => {
    cache.apply({ path, file: null });
    // The change is rendered in the next frame.
    return new Promise((resolve) => requestAnimationFrame(() => resolve()));
  });
  const removeShown = (file: FileRecord): void => {
    remove(file);
    if (file.path === place.path) go({ path: parentOf(file.path), folder: true });
  };
  const bringIn = (files: readonly DroppedFile[]): void => {
    guardLeaving();
    uploads.add(files.map(({ path, file }) => ({ path: joined(here, path), file })));
  };
  const upload = (files: Iterable<File>): void => bringIn(Array.from(files, (file) => ({ path: file.name, file })));
  const [unread, setUnread] = useState<unknown>(null);
  const over = useFileDrop((_, dropped) => {
    setUnread(null);
    droppedFiles(dropped).then(bringIn, setUnread);
  });
  useFilePaste(upload);

  if (isUnknown(root?.error) || (connection.state === "closed" && isUnknown(connection.error))) {
    return (
      <EmptyNote page title="There is no such thread">
        It was deleted, or it belongs to another user. <Link href="/">Back to the start</Link>
      </EmptyNote>
    );
  }
  const isEmpty = root?.state === "there" && !rows.some(({ kind }) => kind === "entry");
  const search = { find: query.find, by: query.by, below: query.below };
  const shownFolder = place.path === "/" ? undefined : folders.get(parentOf(place.path))?.entries;
  const chosenFolder = place.folder ? shownFolder?.find(({ path }) => path === place.path) : undefined;
  return (
    <section className={css["page"]} aria-label="Files of the thread">
      <div
        className={css["frame"]}
        data-over={over}
        data-screen={isEmpty && place.path === "/" ? "empty" : place.folder ? "tree" : "file"}
      >
        <FilesHead
          handle={handle}
          thread={thread}
          onUpload={() => chooser.current?.click()}
          onNew={setMaking}
          folder={chosenFolder}
          onDelete={removeShown}
        />
        <ConnectionNote connection={connection} />
        {unread === null ? null : <ErrorNote title="What was dropped could not be read" error={unread} />}
        <div className={css["body"]}>
          <aside className={css["side"]} aria-label="Files">
            <SearchForm search={search} folder={here} onSearch={(next) => go(place, next, true)} />
            {query.find !== "" ? (
              <SearchResults
                key={JSON.stringify(search)}
                handle={handle}
                search={search}
                shown={{ path: place.path, line: query.line }}
                href={(path, line) => href({ path, folder: false }, { ...search, line })}
              />
            ) : root === undefined || root.state === "loading" ? (
              <LoadingNote what="the files" />
            ) : root.state === "failed" ? (
              <ErrorNote title="The files could not be listed" error={root.error} onRetry={() => cache.reload("/")} />
            ) : isEmpty ? (
              <p className={css["none"]}>Nothing here yet.</p>
            ) : (
              <FileTree
                rows={rows}
                shown={place.path}
                unsaved={unsaved}
                onOpen={setOpen}
                onChoose={({ path, isDirectory }) => go({ path, folder: isDirectory })}
                onDelete={removeShown}
                onRetry={(path) => cache.reload(path)}
              />
            )}
          </aside>
          <div className={css["view"]}>
            {found === null ? (
              <EmptyNote title="There is no such file">The address is not one of a file.</EmptyNote>
            ) : isEmpty && place.path === "/" ? (
              <NoFiles onUpload={() => chooser.current?.click()} onNewFile={() => setMaking("file")} />
            ) : place.folder ? (
              <FolderView
                path={place.path}
                folder={folders.get(place.path)}
                onUpload={() => chooser.current?.click()}
                onNewFile={() => setMaking("file")}
              />
            ) : (
              <FileView
                key={place.path}
                handle={handle}
                path={place.path}
                query={query}
                href={href}
                go={go}
                onDelete={removeShown}
              />
            )}
          </div>
          <UploadList queue={uploads} />
        </div>
        <input
          ref={chooser}
          className="visually-hidden"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Files to upload"
          onChange={(event) => {
            upload(event.target.files ?? []);
            event.target.value = "";
          }}
        />
        {making === null ? null : (
          <NewEntryDialog
            handle={handle}
            kind={making}
            folder={here}
            onClose={() => setMaking(null)}
            onMade={({ path, isDirectory }) =>
              go({ path, folder: isDirectory }, isDirectory ? plainQuery : { editing: true })
            }
          />
        )}
        {over ? <p className={css["drop"]}>Drop them into {here === "/" ? "the root" : visibleText(here)}</p> : null}
      </div>
    </section>
  );
}

function isUnknown(error: Error | null | undefined): boolean {
  return error instanceof ThreadholdClientError && error.code === "thread_not_found";
}

/** Paths of files with unsaved changes. */
function useUnsaved(threadId: string): ReadonlySet<string> {
  const all = useStore(drafts);
  return useMemo(
    () => new Set(all.filter((one) => one.threadId === threadId && isChanged(one)).map(({ path }) => path)),
    [all, threadId],
  );
}

/** Gives files that are pasted anywhere on the page to `onFiles`. Pasted text goes to the focused field as usual. */
function useFilePaste(onFiles: (files: Iterable<File>) => void): void {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const files = event.clipboardData?.files;
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      latest.current([...files]);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
}
