// The files of a loaded thread: over its own storage, a bucket for large ones where one is bound. Whoever follows the thread
// hears of each change; its event is written in the transaction of the change, so that neither is ever without the other.

import type { EventDraft } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
import type { Bucket } from "#store/files/file-bucket.ts";
import type { Changed, FileChange } from "#store/files/file-change.ts";
import { createFileSystem } from "#store/files/file-system.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { LiveThread } from "../live-thread.ts";

/** What a deployment gives its threads for files. */
export interface FileSettings {
  images: ImagePort;
  bucket: Bucket | null;
  /** Bytes from which on a file goes to the bucket. */
  bucketThreshold: number;
  /** Bytes a file may have. */
  limit: number;
  /** Bytes of the object's storage that files may fill, together with all else that is in it. */
  room: number;
}

/** Makes them. `onGarbage` hears when there is something to sweep soon. */
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
    // A thread that is gone sets no alarm.
    onGarbage: () => void (live.retired || onGarbage()),
  });
}

/** What they are made of. */
export interface ThreadFilesParts {
  storage: MeteredStorage;
  clock: Clock;
  settings: FileSettings;
  onGarbage: () => void;
}

function changeWithEvent<T>(live: LiveThread, work: () => Changed<T>): T {
  return live.transaction(() => {
    const { result, event } = work();
    if (event === null) return result;
    for (const staged of live.stage([changeEvent(event)])) live.store.insertEvent(staged);
    live.save();
    return result;
  });
}

function changeEvent({ path, file }: FileChange): EventDraft {
  return { type: "file_changed", path, change: file === null ? "deleted" : "written", file };
}
