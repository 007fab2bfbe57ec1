// The queue routes of a thread. They list the queued inputs in the order in which they will begin, and change, move and remove them. A
// request for an input that has begun is refused with `conflict` and changes nothing.

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { refuse } from "#contract/error.ts";
import type { Page } from "#contract/list-page.ts";
import type { ListQueue, PatchQueued, QueuedInput } from "#contract/queue-route.ts";
import { checkMessageSize } from "#core/record/message-draft.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { QueuedRun } from "#core/record/run-record.ts";
import { textOf, toMessage } from "#core/record/view.ts";
import { withText } from "#core/request/request-messages.ts";
import { mergedMetadata } from "#flow/hook/hook-message.ts";
import { isVisible } from "#lib/visible-text.ts";

import { boundedRows, pageBytes } from "../bounded-page.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { definitionAccess } from "../run/definition-access.ts";
import type { DefinitionContext } from "../run/definition-access.ts";
import { dropInput } from "../run/drop-input.ts";
import { filteredText } from "../run/filter-input.ts";
import { countSteering } from "../run/write-run.ts";
import type { MethodGroup } from "./method-call.ts";

export const queueMethods: MethodGroup<"listQueue" | "patchQueued" | "deleteQueued"> = {
  listQueue: ({ thread }, query) => listQueue(thread().live, query),
  patchQueued: ({ thread }, id, change) => patchQueued(thread(), id, change),
  deleteQueued: ({ thread }, id) => {
    const open = thread();
    dropInput(open, waitingInput(open.live, id));
    return null;
  },
};

/** A page of the waiting inputs. */
function listQueue(live: LiveThread, query: ListQueue): Page<QueuedInput> {
  const { run_ids } = live.record.queue;
  const beyond = query.cursor === undefined ? undefined : decodeCursor(query.cursor, "queue");
  if (beyond !== undefined && !run_ids.includes(beyond)) {
    throw refuse("conflict", "The input that the last page ended with waits no more. List the queue again.");
  }
  const { rows, more } = boundedRows(
    (from, limit) => {
      const start = from === undefined ? 0 : run_ids.indexOf(from) + 1;
      const runs = run_ids.slice(start, start + limit).map((id) => live.store.run(id));
      return runs.filter((run) => run?.status === "queued");
    },
    (run) => run.id,
    { limit: query.limit, bytes: pageBytes, beyond },
  );
  const last = rows.at(-1);
  return {
    items: rows.map((run) => view(live.record, run)),
    next_cursor: more && last !== undefined ? encodeCursor(last.id, "queue") : null,
  };
}

/** Changes the text, the metadata or the position of a waiting input. The update hooks run for text and metadata. */
async function patchQueued(context: DefinitionContext, id: string, change: PatchQueued): Promise<QueuedInput> {
  const { live } = context;
  const { clock } = context.deployment;
  const { position, ...updates } = change;
  const before = waitingInput(live, id);
  if (position !== undefined) movedTo(live.record, id, position);
  const { hooks } = definitionAccess(context);
  const changes = Object.keys(updates).length > 0;
  if (updates.content !== undefined) {
    messageOf(before);
    updates.content = await filteredText(context, updates.content);
  }
  const picked = changes ? await hooks.beforeUpdateMessage(messageOf(before).id, { ...updates }) : {};
  // While the hooks ran, the input's run may have begun, and the queue may have changed.
  const run = waitingInput(live, id);
  const message = changes ? changed(messageOf(run), picked, clock.now()) : null;
  const { queue } = live.record;
  const run_ids = position === undefined ? queue.run_ids : movedTo(live.record, id, position);
  const next = message === null ? run : { ...run, queued: { ...run.queued, message } };
  live.emit([{ type: "queue_changed", queued: run_ids }], () => {
    if (message !== null) live.store.updateRun(next);
    live.change({ queue: { ...queue, run_ids } });
  });
  if (message !== null) await hooks.afterUpdateMessage(message);
  return view(live.record, next);
}

function view(record: LiveThread["record"], run: QueuedRun): QueuedInput {
  const { id, kind, limits, created_at } = run;
  const { message, when } = run.queued;
  const steers = record.queue.run_ids.indexOf(id) < countSteering(record);
  const of = steers ? record.active_run_id : id;
  return {
    id,
    kind,
    when: steers ? "steer" : when === "interrupt" ? when : "queue",
    message: message === null ? null : toMessage({ ...message, run_id: of }),
    limits,
    created_at,
  };
}

/** Returns a waiting input. Throws for an unknown id, and for an input that does not wait any more. */
function waitingInput(live: LiveThread, id: string): QueuedRun {
  const run = live.store.run(id);
  if (run === null) throw refuse("run_not_found", `There is no input "${id}" in the queue of this thread.`);
  if (live.record.queue.run_ids.includes(id) && run.status === "queued") return run;
  const { joined, status } = run;
  if (joined !== undefined) {
    throw refuse("conflict", `The input "${id}" joined the run "${joined}": it can be changed no more.`, {
      run_id: joined,
    });
  }
  const came = status === "stopped" ? "was stopped" : "has begun";
  throw refuse("conflict", `The input "${id}" waits no more: its run ${came}.`, { run_id: id, status });
}

function messageOf({ queued: { message } }: QueuedRun): MessageRecord {
  if (message !== null) return message;
  throw refuse("invalid_request", "This input is a run without a message: only its position can be changed.", {
    fields: [{ path: "content", message: "there is no message" }],
  });
}

function changed(message: MessageRecord, updates: Record<string, unknown>, now: number): MessageRecord {
  const { content, metadata } = updates;
  const parts = typeof content === "string" ? withText(message.parts, content) : message.parts;
  const blank = parts.every(({ type }) => type === "text") && !isVisible(textOf(parts) ?? "");
  if (message.role === "user" && blank) {
    throw refuse("invalid_request", "content: Is blank, so there is nothing to answer", {
      fields: [{ path: "content", message: "Is blank, so there is nothing to answer" }],
    });
  }
  checkMessageSize(parts);
  const merged = mergedMetadata(message.metadata, metadata as MessageRecord["metadata"] | undefined);
  return { ...message, parts, metadata: merged, updated_at: now };
}

/**
 * The queue with the input at another position. Inputs that are to join the active run stay before the others, so an input moves within its
 * group.
 */
function movedTo(record: LiveThread["record"], id: string, position: number): string[] {
  const { run_ids } = record.queue;
  const steers = countSteering(record);
  const [first, last] = run_ids.indexOf(id) < steers ? [0, steers - 1] : [steers, run_ids.length - 1];
  if (position < first || position > last) {
    throw refuse(
      "invalid_request",
      `position: This input can stand at ${first} to ${last}. Those that join the active run stand before the others.`,
      { fields: [{ path: "position", message: `has to be ${first} to ${last}` }] },
    );
  }
  return run_ids.filter((other) => other !== id).toSpliced(position, 0, id);
}
