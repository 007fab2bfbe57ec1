// A file in the editor: its text as it was read, the draft, and the result of a save. A save names the version that was
// read. If the file has another version by then, nothing is written until the user has chosen one.

import { useMutation, useQuery } from "@tanstack/react-query";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { useStore } from "../../kit/create-store.ts";
import { guardLeaving } from "../leave-guard.ts";
import { endsOf, fieldText, fileText, textOf } from "../preview/text-bytes.ts";
import type { ReadText } from "../preview/text-bytes.ts";
import { isGone } from "../tree/use-folders.ts";
import { isTaken } from "../upload/thread-uploads.ts";
import { drafts, dropDraft, keepDraft } from "./file-drafts.ts";
import type { Draft } from "./file-drafts.ts";

/** Bytes up to which a text is edited in a page. */
export const mostEdited = 1024 * 1024;

/** A version of the file. */
interface Version extends Omit<ReadText, "text"> {
  /** Null if its bytes are not text. */
  text: string | null;
  etag: string | null;
}

/** The current version of the file; null if it was deleted. */
export type Theirs = Version | null;

/** The result of a save. `conflict`: the file was changed elsewhere; `theirs` is that version. */
type Saved = { state: "saved" } | { state: "conflict"; theirs: Theirs };

/** A file that is being edited. */
export interface Editing {
  /** Null until the file was read, and if its bytes are not text. */
  draft: Draft | null;
  isText: boolean;
  error: Error | null;
  retry: () => void;
  write: (text: string) => void;
  /** Discards the draft. */
  drop: () => void;
  /** Saves the draft. If `over` is given, it overwrites that version, which the user has seen. */
  save: (over?: { theirs: Theirs }) => void;
  saving: boolean;
  /** Result of the last save; null before the first save, and after a conflict was resolved. */
  saved: Saved | null;
  saveError: Error | null;
  settle: () => void;
}

export function useEditing(handle: ThreadHandle, file: FileRecord): Editing {
  const { path, mimeType } = file;
  const of = { threadId: handle.id, path };
  const all = useStore(drafts);
  const kept = all.find((one) => one.threadId === handle.id && one.path === path) ?? null;
  const read = useQuery({
    queryKey: ["files", handle.id, "edited", path],
    queryFn: ({ signal }) => readVersion(handle, path, signal),
    enabled: kept === null && file.size <= mostEdited,
    staleTime: 0,
    gcTime: 0,
  });
  const base = read.data ?? null;
  const draft =
    kept ??
    (base === null || base.text === null
      ? null
      : { ...of, text: base.text, base: base.text, etag: base.etag, ends: base.ends, type: mimeType });
  const save = useMutation({
    mutationFn: async ({ mine, over }: { mine: Draft; over: { theirs: Theirs } | undefined }): Promise<Saved> => {
      const etag = over === undefined ? mine.etag : (over.theirs?.etag ?? null);
      try {
        const written = await handle.files.upload(path, fileText(mine.text, mine.ends), {
          type: mine.type,
          ...(etag === null ? { ifNoneMatch: "*" } : { ifMatch: etag }),
        });
        settleSaved(mine, written.etag);
        return { state: "saved" };
      } catch (thrown) {
        if (!isTaken(thrown)) throw thrown;
        const theirs = await readVersion(handle, path).catch((cause: unknown) => {
          if (isGone(cause)) return null;
          throw cause;
        });
        // If the texts are equal, an earlier attempt has saved the text and its response was lost.
        if (theirs === null || theirs.text !== mine.text) return { state: "conflict", theirs };
        settleSaved(mine, theirs.etag);
        return { state: "saved" };
      }
    },
  });
  const { mutate, reset } = save;
  const write = (text: string): void => {
    if (draft === null) return;
    guardLeaving();
    keepDraft({ ...draft, text });
  };
  return {
    draft,
    isText: base === null || base.text !== null,
    error: draft === null ? read.error : null,
    retry: () => void read.refetch(),
    write,
    drop: () => {
      reset();
      dropDraft(of);
    },
    save: (over) => (draft === null ? undefined : mutate({ mine: draft, over })),
    saving: save.isPending,
    saved: save.data ?? null,
    saveError: save.error,
    settle: reset,
  };
}

/** Makes the saved text the base of later changes; text that was typed meanwhile stays. */
function settleSaved(mine: Draft, etag: string | null): void {
  const now = drafts.get().find((one) => one.threadId === mine.threadId && one.path === mine.path) ?? mine;
  keepDraft({ ...now, base: mine.text, etag });
}

async function readVersion(handle: ThreadHandle, path: string, signal?: AbortSignal): Promise<Version> {
  const answer = await handle.files.download(path, { signal });
  const text = textOf([new Uint8Array(await answer.arrayBuffer())], true);
  const etag = answer.headers.get("etag");
  return text === null ? { text, ends: "lf", etag } : { text: fieldText(text), ends: endsOf(text), etag };
}
