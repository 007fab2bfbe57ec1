// Deletes a file, or an empty folder, after a delay in which the user can undo it. Only the version that the user saw
// is deleted: a file that is written meanwhile stays, and a note reports that.

import { useMemo } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { useStore } from "../kit/create-store.ts";
import { visibleText } from "../kit/visible-text.ts";
import { useDeletions } from "../threads/deletions.tsx";
import { dropDraft } from "./edit/file-drafts.ts";
import { isGone } from "./tree/use-folders.ts";

/**
 * Deletes the file or folder of a record. `gone` is called when it is deleted, and resolves once the page shows that.
 */
export function useFileDeletion(
  handle: ThreadHandle,
  gone: (path: string) => Promise<void>,
): (file: FileRecord) => void {
  const client = useThreadholdClient();
  const deletions = useDeletions();
  return (file) => {
    const { path, isDirectory } = file;
    // The version is requested now, because the user sees the current one.
    const seen = isDirectory ? Promise.resolve(undefined) : tagOf(handle, file);
    seen.catch(() => undefined);
    let tag: string | undefined;
    void seen.then(
      (found) => (tag = found),
      () => undefined,
    );
    deletions.hold({
      id: idOf(handle.id, path),
      title: visibleText(file.name),
      async send({ leaving }) {
        if (leaving) {
          const names = path.split("/").map(encodeURIComponent).join("/");
          await client.fetch(`/api/~/threads/${handle.id}/files${names}`, {
            method: "DELETE",
            keepalive: true,
            ...(tag === undefined ? {} : { headers: { "if-match": tag } }),
          });
          return;
        }
        try {
          await handle.files.delete(path, { ifMatch: await seen });
        } catch (thrown) {
          if (!isGone(thrown)) throw thrown;
        }
        dropDraft({ threadId: handle.id, path });
        await gone(path);
      },
    });
  };
}

/** Paths of the thread that are hidden, because they are about to be deleted. */
export function useHiddenFiles(threadId: string): ReadonlySet<string> {
  const deletions = useDeletions();
  const all = useStore(deletions);
  return useMemo(() => {
    const prefix = idOf(threadId, "");
    const going = all.filter(({ id, state }) => id.startsWith(prefix) && (state === "held" || state === "sent"));
    return new Set(going.map(({ id }) => id.slice(prefix.length)));
  }, [all, threadId]);
}

function idOf(threadId: string, path: string): string {
  return `file:${threadId}${path}`;
}

async function tagOf(handle: ThreadHandle, { path, size }: FileRecord): Promise<string | undefined> {
  const answer = await handle.files.download(path, size === 0 ? {} : { range: "bytes=0-0" });
  await answer.body?.cancel();
  return answer.headers.get("etag") ?? undefined;
}
