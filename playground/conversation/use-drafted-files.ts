// Files that are to go with a message. Small ones travel in it; a large one is put into the thread first, with progress, and the
// message refers to it. Whatever is taken out again is deleted there. They are kept while the page is open, as words are.

import { useCallback } from "react";
import type { NewMessage, ThreadHandle } from "threadhold/client";

import { createStore, useStore } from "../kit/create-store.ts";

/** A file that waits to be sent. */
export interface DraftedFile {
  key: number;
  file: File;
  /** From 0 to 1 while it is uploaded; null where it needs no upload, or is there. */
  progress: number | null;
  /** In the thread, once it is there. */
  path: string | null;
  error: string | null;
}

type Attachments = NonNullable<NewMessage["attachments"]>;

/** Bytes up to which a file travels in its message. */
const inlineBytes = 512 * 1024;

/** Of one message. */
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

/** The files, and what is done with them. */
export interface DraftedFiles {
  files: readonly DraftedFile[];
  /** Something is on its way still, or failed. */
  unfinished: boolean;
  add: (files: Iterable<File>) => void;
  remove: (key: number) => void;
  /** Some of them as a message takes them. */
  attachments: (sent: readonly DraftedFile[]) => Promise<Attachments>;
  /** Takes those that were sent out; what was added since stays. */
  clear: (sent: readonly DraftedFile[]) => void;
}

/** The files of a composer. */
export function useDraftedFiles(handle: ThreadHandle): DraftedFiles {
  const { id } = handle;
  const files = useStore(lists).get(id) ?? none;
  const put = useCallback(
    (key: number, told: Partial<DraftedFile>) =>
      change(id, (before) => before.map((one) => (one.key === key ? { ...one, ...told } : one))),
    [id],
  );
  const upload = useCallback(
    (key: number, file: File) => {
      // The name is the thread's to keep unique: each upload has a folder of its own.
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
      // What stays behind is a file that nothing refers to.
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

/** `crypto.randomUUID` is missing from pages that came over plain http. */
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
