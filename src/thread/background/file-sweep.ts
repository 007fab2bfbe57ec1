// Deletes the remaining bytes of deleted and replaced files from the thread's storage and bucket, whenever the object is awake. The
// thread's files set an alarm when there is something to sweep. A failed deletion in the bucket is retried without a limit, because stored
// bytes may cost money. A sweep without a failure writes no row.

import type { RetryState } from "#core/record/record.ts";
import { causeOf } from "#lib/log-port.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";

import { nextRetry } from "../background-task.ts";
import type { BackgroundTask } from "../background-task.ts";
import type { DeployedThread } from "../live/live-thread.ts";

/** Pauses after failures, in milliseconds. */
const pauses = { firstMs: 60_000, longestMs: 15 * 60_000 };

/** The parts of a thread that the sweep needs. */
interface SweptThread extends DeployedThread {
  files: ManagedThreadFiles;
}

/** Sweeps the files of one thread. Each thread's object has one such task. */
export class FileSweep implements BackgroundTask {
  readonly pending = false;
  readonly #context: SweptThread;
  #dueAt: number | null = null;

  constructor(context: SweptThread) {
    this.#context = context;
  }

  get dueAt(): number | null {
    return this.#dueAt;
  }

  async run(): Promise<void> {
    const { files, live } = this.#context;
    const { clock, faults, log } = this.#context.deployment;
    if (live.retired) return;
    const failed = live.record.background.sweep;
    if (failed !== undefined && failed.at > clock.now()) {
      this.#dueAt = failed.at;
      return;
    }
    try {
      await faults.at("sweep.files");
      const isSwept = await files.sweep();
      if (live.retired) return;
      if (failed !== undefined) this.#store(undefined);
      this.#dueAt = isSwept ? null : clock.now() + pauses.firstMs * 1000;
    } catch (cause) {
      log("error", "files_not_swept", { thread_id: live.record.id, cause: causeOf(cause) });
      if (live.retired) return;
      const retry = nextRetry(failed, this.#context.deployment, pauses);
      this.#store(retry);
      this.#dueAt = retry.at;
    }
  }

  #store(sweep: RetryState | undefined): void {
    const { live } = this.#context;
    live.changeBackground({ sweep });
    live.save();
  }
}
