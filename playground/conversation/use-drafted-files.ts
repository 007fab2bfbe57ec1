// The files that will be sent with a message. Small ones are sent in the message; a large one is uploaded to the thread
// first, with progress, and the message refers to it. A removed file is deleted from the thread too. Like text drafts,
// they are kept while the page is open.

import { useCallback } from "react";
import type { NewMessage, ThreadHandle } from "threadhold/client";

import { createStore, useStore } from "../kit/create-store.ts";

/** A file in the input. */
export interface DraftedFile {
  key: number;
  file: File;
  /** From 0 to 1 during the upload; null if the file needs no upload, or the upload has ended. */
  progress: number | null;
  /** Its path in the thread, once it is uploaded. */
  path: string | null;
  error: string | null;
}

type Attachments = NonNullable<NewMessage["attachments"]>;

/** Files up to this size are sent in the message. */
const inlineBytes = 512 * 1024;

/** The most files of one message. */
const mostFiles = 20;

let keys = 0;

const none: readonly DraftedFile[] = [];
const lists = createStore<ReadonlyMap<string, readonly DraftedFile[]>>(new Map());

function change(threadId: string, next: (before: readonly DraftedFile[]) => readonly DraftedFile[]): void {
  const after = new Map(lists.get());
  const files = next(after.get(threadId) ?? none);
  if (files.length === 0) after.delete(threadId);
  else after.set(threadId, files);
  lists.set(after);
}

/** The files, and the functions that change them. */
export interface DraftedFiles {
  files: readonly DraftedFile[];
  /** An upload is running or has failed. */
  unfinished: boolean;
  add: (files: Iterable<File>) => void;
  remove: (key: number) => void;
  /** The attachments of a message with these files. */
  attachments: (sent: readonly DraftedFile[]) => Promise<Attachments>;
  /** Removes files that were sent; files added since then stay. */
  clear: (sent: readonly DraftedFile[]) => void;
}

/** The files of a composer. */
export function useDraftedFiles(handle: ThreadHandle): DraftedFiles {
  const { id } = handle;
  const files = useStore(lists).get(id) ?? none;
  const put = useCallback(
    (key: number, changes: Partial<DraftedFile>) =>
      change(id, (before) => before.map((one) => (one.key === key ? { ...one, ...changes } : one))),
    [id],
  );
  const upload = useCallback(
    (key: number, file: File) => {
      // A name is unique only within a folder, so each upload has a folder of its own.
      const path = `/uploads/${folderName()}/${file.name}`;
      handle.files
        .upload(path, file, {
          ifNoneMatch: "*",
          onProgress: ({ loaded, total }) => put(key, { progress: total === null ? 0 : loaded / total }),
        })
        .then(
          () => put(key, { progress: null, path }),
          (thrown: unknown) =>
            put(key, { progress: null, error: thrown instanceof Error ? thrown.message : String(thrown) }),
        );
    },
    [handle, put],
  );
  const add = useCallback(
    (given: Iterable<File>) => {
      const added = [...given].slice(0, mostFiles).map((file): DraftedFile => {
        keys += 1;
        return { key: keys, file, progress: file.size > inlineBytes ? 0 : null, path: null, error: null };
      });
      change(id, (before) => [...before, ...added].slice(0, mostFiles));
      for (const { key, file, progress } of added) if (progress !== null) upload(key, file);
    },
    [id, upload],
  );
  const remove = useCallback(
    (key: number) => {
      const path = files.find((one) => one.key === key)?.path ?? null;
      change(id, (before) => before.filter((one) => one.key !== key));
      // If the deletion fails, a file remains that nothing refers to.
      if (path !== null) handle.files.delete(path).catch(() => undefined);
    },
    [files, handle, id],
  );
  return {
    files,
    unfinished: files.some(({ progress, error }) => progress !== null || error !== null),
    add,
    remove,
    attachments: (sent) =>
      Promise.all(
        sent.map(async ({ file, path }) =>
          path === null
            ? {
                name: file.name,
                mime_type: file.type === "" ? "application/octet-stream" : file.type,
                data: await base64Of(file),
              }
            : { path },
        ),
      ),
    clear: (sent) => change(id, (before) => before.filter(({ key }) => !sent.some((one) => one.key === key))),
  };
}

/** `crypto.randomUUID` is missing on pages that were loaded over plain http. */
function folderName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const { result } = reader;
      resolve(typeof result === "string" ? (result.split(",")[1] ?? "") : "");
    });
    reader.addEventListener("error", () => reject(reader.error ?? new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
}
