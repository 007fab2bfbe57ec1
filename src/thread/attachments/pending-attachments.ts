// The list of files whose messages are not admitted yet, in the thread's row. A file is added in the transaction that creates it, and
// removed when the thread's row is written with its message, so the list costs no rows of its own. Files that a crash leaves in the list
// are deleted when the thread is loaded again, before any request can read them.

import type { FileVersion } from "#core/ports/thread-file-port.ts";
import { causeOf } from "#lib/log-port.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";

import type { DeployedThread } from "../live/live-thread.ts";

/** The parts of a thread in which files of messages and answers are stored. */
export interface AttachmentContext extends DeployedThread {
  files: ManagedThreadFiles;
}

/** The operations on the list. */
export interface PendingAttachments {
  /** Adds a file to the list. Called in the transaction that creates the file. */
  add(file: FileVersion): void;
  /** Removes files from the list in memory, without deleting them. Call it directly before the thread's row is written. */
  release(files: readonly FileVersion[]): void;
  /** Returns those of the files that are still in the list. */
  stillPending(files: readonly FileVersion[]): FileVersion[];
  /**
   * Removes the file at a path from the list, because another message refers to it: the file stays even if the message that it was sent
   * with is refused.
   */
  keepPath(path: string): void;
  /** Deletes these versions of files and removes them from the list. A newer version at the same path stays. Logs failures. */
  remove(files: readonly FileVersion[]): void;
}

/** Builds the operations on the list of a thread. */
export function pendingAttachments({ deployment, live, files }: AttachmentContext): PendingAttachments {
  const all = () => live.record.background.attachments ?? [];
  const without = (gone: readonly FileVersion[]) => {
    const tags = new Set(gone.map(({ etag }) => etag));
    live.changeBackground({ attachments: all().filter(({ etag }) => !tags.has(etag)) });
  };
  return {
    add: (file) => live.changeBackground({ attachments: [...all(), file] }),
    release: without,
    stillPending(some) {
      const tags = new Set(all().map(({ etag }) => etag));
      return some.filter(({ etag }) => tags.has(etag));
    },
    keepPath(path) {
      const there = all().filter((file) => file.path === path);
      if (there.length === 0) return;
      without(there);
      live.save();
    },
    remove(gone) {
      // A deleted thread has no files to delete.
      for (const file of live.retired ? [] : gone) {
        try {
          without([file]);
          files.removeVersion(file);
        } catch (thrown) {
          live.changeBackground({ attachments: [...all(), file] });
          deployment.log("error", "file_not_removed", { thread_id: live.record.id, cause: causeOf(thrown) });
        }
      }
    },
  };
}

/** Deletes the files that a crash left in the list. Synchronous. Never throws, so that the thread can be loaded in any case. */
export function removePendingAttachments(context: AttachmentContext): void {
  pendingAttachments(context).remove(context.live.record.background.attachments ?? []);
}
