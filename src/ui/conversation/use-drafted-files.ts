// Files that are to go with a message. Small ones travel in it; a large one is put into the thread first, with progress, and the
// message refers to it. Whatever is taken out again is deleted there.

import { useCallback, useState } from "react";

import type { NewMessage, ThreadHandle } from "#client/index.ts";

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
export const mostFiles = 20;

let keys = 0;

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
  const [files, setFiles] = useState<readonly DraftedFile[]>([]);
  const put = useCallback((key: number, change: Partial<DraftedFile>) => {
    setFiles((before) => before.map((one) => (one.key === key ? { ...one, ...change } : one)));
  }, []);
  const upload = useCallback(
    (key: number, file: File) => {
      // The name is the thread's to keep unique: each upload has a folder of its own.
      const path = `/uploads/${crypto.randomUUID().slice(0, 8)}/${file.name}`;
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
      setFiles((before) => [...before, ...added].slice(0, mostFiles));
      for (const { key, file, progress } of added) if (progress !== null) upload(key, file);
    },
    [upload],
  );
  const remove = useCallback(
    (key: number) => {
      const path = files.find((one) => one.key === key)?.path ?? null;
      setFiles((before) => before.filter((one) => one.key !== key));
      // What stays behind is a file that nothing refers to.
      if (path !== null) handle.files.delete(path).catch(() => undefined);
    },
    [files, handle],
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
    clear: (sent) => setFiles((before) => before.filter(({ key }) => !sent.some((one) => one.key === key))),
  };
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
