// Files of messages on their way in, noted in the thread's row. Each is noted in the transaction that makes it a file, and
// the row that brings its message takes the note off, so that neither costs a row. What a crash leaves noted is removed when
// the thread is loaded again, before anybody can look.

import type { FileVersion } from "#core/ports/thread-file-port.ts";
import { causeOf } from "#lib/log-port.ts";

import type { ObjectContext } from "../object-context.ts";

/** The notes. */
export interface UnclaimedFiles {
  /** Part of the transaction that makes the file. */
  add(file: FileVersion): void;
  /** In memory; written with the thread's row, so call it where that is about to be written. */
  takeOff(files: readonly FileVersion[]): void;
  /** Those of the files that are noted still. */
  noted(files: readonly FileVersion[]): FileVersion[];
  /** Somebody else refers to what lies at a path: it stays, whatever becomes of the message that brought it. Written at once. */
  refer(path: string): void;
  /** Removes files as far as each is still the one that is meant, and logs what cannot be removed. */
  remove(files: readonly FileVersion[]): void;
}

/** The notes of a thread. */
export function unclaimedFiles({ live, files, log }: Pick<ObjectContext, "live" | "files" | "log">): UnclaimedFiles {
  const all = () => live.record.background.attachments ?? [];
  const without = (gone: readonly FileVersion[]) => {
    const tags = new Set(gone.map(({ etag }) => etag));
    live.changeBackground({ attachments: all().filter(({ etag }) => !tags.has(etag)) });
  };
  return {
    add: (file) => live.changeBackground({ attachments: [...all(), file] }),
    takeOff: without,
    noted(some) {
      const tags = new Set(all().map(({ etag }) => etag));
      return some.filter(({ etag }) => tags.has(etag));
    },
    refer(path) {
      const there = all().filter((file) => file.path === path);
      if (there.length === 0) return;
      without(there);
      live.save();
    },
    remove(gone) {
      // A thread that is deleted has no files any more.
      for (const file of live.retired ? [] : gone) {
        try {
          without([file]);
          files.removeVersion(file);
        } catch (thrown) {
          live.changeBackground({ attachments: [...all(), file] });
          log("error", "file_not_removed", { thread_id: live.record.id, cause: causeOf(thrown) });
        }
      }
    },
  };
}

/** Removes what an earlier life of the object left noted. Synchronous; never throws, since the thread is wanted all the same. */
export function removeUnclaimed(context: Pick<ObjectContext, "live" | "files" | "log">): void {
  unclaimedFiles(context).remove(context.live.record.background.attachments ?? []);
}
