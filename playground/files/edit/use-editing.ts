// A file that is being changed: its text as it was read, the draft over it, and what becomes of a save. A save names the version that was
// read; where the file is another one by now, nothing is written before somebody has chosen.

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
  /** Null where its bytes are no text. */
  text: string | null;
  etag: string | null;
}

/** What stands in the file by now; null where it is gone. */
export type Theirs = Version | null;

/** How a save went. `conflict`: somebody else has written; theirs is there to look at. */
type Saved = { state: "saved" } | { state: "conflict"; theirs: Theirs };

/** The file in work. */
export interface Editing {
  /** Null until it was read, and where it is no text. */
  draft: Draft | null;
  isText: boolean;
  error: Error | null;
  retry: () => void;
  write: (text: string) => void;
  /** Lets the draft go, so that the file stands as it is. */
  drop: () => void;
  /** With `over` what is written goes over that version, which somebody has looked at. */
  save: (over?: { theirs: Theirs }) => void;
  saving: boolean;
  /** Of the last save; null before the first, and since a choice was made. */
  saved: Saved | null;
  saveError: Error | null;
  settle: () => void;
}

/** The file. */
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
        // The answer of the first try was lost: what stands there is what was written.
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

/** What was written is what later changes are told from; what was typed meanwhile stays. */
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
