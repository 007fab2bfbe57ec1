// Files of messages on their way in, noted in the thread's row. Each is noted in the transaction that makes it a file, and
// the row that brings its message takes the note off, so that neither costs a row. What a crash leaves noted is removed when
// the thread is loaded again, before anybody can look.

import type { FileVersion } from "#core/ports/thread-files.ts";

import type { LiveThread } from "../live-thread.ts";
import type { ObjectContext } from "../object-context.ts";

/** The notes. */
export interface UnclaimedFiles {
  /** Part of the transaction that makes the file. */
  add(file: FileVersion): void;
  /** In memory; written with the thread's row, so call it where that is about to be written. */
  takeOff(files: readonly FileVersion[]): void;
}

/** The notes of a thread. */
export function unclaimedFiles(live: LiveThread): UnclaimedFiles {
  const noted = () => live.record.unclaimed ?? [];
  return {
    add: (file) => live.change({ unclaimed: [...noted(), file] }),
    takeOff(files) {
      const tags = new Set(files.map(({ etag }) => etag));
      live.change({ unclaimed: noted().filter(({ etag }) => !tags.has(etag)) });
    },
  };
}

/** Removes what an earlier life of the object left noted. Synchronous; never throws, since the thread is wanted all the same. */
export function removeUnclaimed({ live, files }: Pick<ObjectContext, "live" | "files">): void {
  const unclaimed = unclaimedFiles(live);
  for (const file of live.record.unclaimed ?? []) {
    try {
      unclaimed.takeOff([file]);
      files.removeVersion(file);
    } catch (thrown) {
      unclaimed.add(file);
      console.error(JSON.stringify({ event: "file_not_removed", thread_id: live.record.id, cause: String(thrown) }));
    }
  }
}
