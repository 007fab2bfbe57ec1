// The files of a loaded thread. They are in the object's storage, large ones in a bucket if the deployment has one. Each change emits an
// event, which is written in the same transaction as the change.

import type { EventDraft } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Changed, FileChange } from "#store/files/file-change.ts";
import { createFileSystem } from "#store/files/file-system.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { FileSettings } from "../deployment.ts";
import type { LiveThread } from "../live/live-thread.ts";

/** Builds the files of a thread. `onGarbage` is called when the bytes of deleted or replaced files have to be swept. */
export function threadFiles(
  live: LiveThread,
  { storage, clock, settings, onGarbage }: ThreadFilesParts,
): ManagedThreadFiles {
  const { images, bucket, bucketThreshold: threshold, limit, room } = settings;
  return createFileSystem({
    change: (work) => changeWithEvent(live, work),
    rows: sqliteFileRows(storage, () => live.retired),
    images,
    clock,
    limit,
    room,
    bucket: bucket === null ? null : { bucket, threshold, threadId: live.record.id },
    // A deleted thread sets no alarm.
    onGarbage: () => void (live.retired || onGarbage()),
  });
}

/** Dependencies of a thread's files. */
export interface ThreadFilesParts {
  storage: MeteredStorage;
  clock: Clock;
  settings: FileSettings;
  onGarbage: () => void;
}

function changeWithEvent<T>(live: LiveThread, work: () => Changed<T>): T {
  return live.transaction(() => {
    const { result, events } = work();
    if (events.length === 0) return result;
    for (const staged of live.stage(events.map(changeEvent))) live.store.insertEvent(staged);
    live.save();
    return result;
  });
}

function changeEvent({ path, file }: FileChange): EventDraft {
  return { type: "file_changed", path, change: file === null ? "deleted" : "written", file };
}
