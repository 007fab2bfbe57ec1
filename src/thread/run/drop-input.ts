// Removes an input from the queue. Its run ends without having begun. The files of its message are deleted, unless another message refers
// to them.

import type { FileVersion } from "#core/ports/thread-file-port.ts";
import { attachmentsOf } from "#core/record/attachment-view.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { EndedRun, QueuedRun } from "#core/record/run-record.ts";
import { toRun } from "#core/record/view.ts";

import { pendingAttachments } from "../attachments/pending-attachments.ts";
import type { AttachmentContext } from "../attachments/pending-attachments.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { countSteering } from "./write-run.ts";

/** The number of messages that one query reads. A row may have 2 MiB. */
const page = 25;

/** Removes the input and emits the end of its run. There is no await, so after a crash either all of it is stored or nothing. */
export function dropInput(context: AttachmentContext, run: QueuedRun): void {
  const { live } = context;
  const { clock } = context.deployment;
  const { queue } = live.record;
  const steers = countSteering(live.record);
  const steering = steers - (queue.run_ids.indexOf(run.id) < steers ? 1 : 0);
  const run_ids = queue.run_ids.filter((id) => id !== run.id);
  const orphans = unreferred(live, run);
  const stopped: EndedRun = { ...run, status: "stopped", reason: "stopped", queued: null, ended_at: clock.now() };
  const { status, reason, outcome, usage, cost, message_ids, error } = toRun(stopped);
  const end = { status, reason, outcome, usage, cost, message_ids, error };
  live.emit(
    [
      { type: "run_end", run_id: run.id, ...end },
      { type: "queue_changed", queued: run_ids },
    ],
    () => {
      live.store.updateRun(stopped);
      live.change({ queue: { ...queue, run_ids, steering } });
    },
  );
  pendingAttachments(context).remove(orphans);
}

/** The files of an input to which no other message refers, neither a queued one nor a stored one. */
function unreferred(live: LiveThread, { id, queued }: QueuedRun): FileVersion[] {
  const { files = [], message } = queued;
  if (files.length === 0 || message === null) return [];
  const unused = new Map(files.map((file) => [file.path, file]));
  const keepFilesOf = (other: MessageRecord) => {
    for (const { path } of attachmentsOf(other)) unused.delete(path);
  };
  for (const other of live.record.queue.run_ids) {
    const queuedMessage = other === id ? null : (live.store.run(other)?.queued?.message ?? null);
    if (queuedMessage !== null) keepFilesOf(queuedMessage);
  }
  const { active_run_id, branch } = live.record;
  const active = active_run_id === null ? null : live.store.run(active_run_id);
  // The result of a call that was made earlier may have a position before the message's id, so the search includes the active run.
  let beyond = active === null || active.after_position > message.id ? message.id : active.after_position;
  while (unused.size > 0) {
    const rows = live.store.messages({ branch, order: "asc", limit: page, includeSilent: true, beyond });
    rows.forEach(keepFilesOf);
    if (rows.length < page) break;
    beyond = rows.at(-1)?.position ?? beyond;
  }
  return [...unused.values()];
}
