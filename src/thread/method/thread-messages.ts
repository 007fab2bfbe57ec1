// The message routes of a thread: pages, one message, edits, deletion.

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { refuse } from "#contract/error.ts";
import type { MessagePage } from "#contract/list-page.ts";
import type { ListMessages, PatchMessage } from "#contract/message-route.ts";
import type { Message } from "#contract/thread-message.ts";
import { totalOf } from "#core/record/message-counts.ts";
import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";
import { callsOf } from "#core/record/run-state.ts";
import { toMessage } from "#core/record/view.ts";
import { updateMessage } from "#flow/state/create-thread-state.ts";

import { boundedRows, pageBytes } from "../bounded-page.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { isOnBranch } from "../live/switch-branch.ts";
import { definitionAccess } from "../run/definition-access.ts";
import type { DefinitionContext } from "../run/definition-access.ts";
import { filteredText } from "../run/filter-input.ts";
import type { MethodGroup } from "./method-call.ts";

export const messageMethods: MethodGroup<"listMessages" | "getMessage" | "patchMessage" | "deleteMessage"> = {
  listMessages: ({ thread }, query) => listMessages(thread().live, query),
  getMessage: ({ thread }, id) => toMessage(getMessage(thread().live, id)),
  patchMessage: ({ thread }, id, change) => patchMessage(thread(), id, change),
  deleteMessage: ({ thread }, id) => {
    deleteMessage(thread().live, id);
    return null;
  },
};

/** A page of messages of a branch, in the requested order. */
function listMessages(live: LiveThread, query: ListMessages): MessagePage<Message> {
  const branch = knownBranch(live, query.branch);
  const filter = { branch, includeSilent: query.include_silent, maxDepth: query.max_depth };
  const beyond = query.cursor === undefined ? undefined : decodeCursor(query.cursor, "messages");
  const { rows, more } = boundedRows(
    (from, limit) => live.store.messages({ ...filter, order: query.order, limit, beyond: from }),
    (message) => message.position,
    { limit: query.limit, bytes: pageBytes, beyond },
  );
  const last = rows.at(-1);
  return {
    items: rows.map(toMessage),
    total: knownTotal(live.record, filter),
    has_more: more,
    next_cursor: more && last !== undefined ? encodeCursor(last.position, "messages") : null,
  };
}

/** The branch that a query names, or the thread's current one. Refuses one that does not exist. */
export function knownBranch(live: LiveThread, wanted: string | undefined, field = "branch"): string {
  const branch = wanted ?? live.record.branch;
  if (live.store.branch(branch) !== null) return branch;
  throw refuse("invalid_request", `This thread has no branch "${branch}".`, {
    fields: [{ path: field, message: "no such branch" }],
  });
}

/** Returns a message. Throws `message_not_found`. */
function getMessage(live: LiveThread, id: string): MessageRecord {
  const record = live.store.message(id);
  if (record === null) throw refuse("message_not_found", `There is no message "${id}" in this thread.`);
  return record;
}

/** Changes the text or the metadata of a message. The update hooks run before and after it. */
async function patchMessage(context: DefinitionContext, id: string, change: PatchMessage): Promise<Message> {
  const record = getMessage(context.live, id);
  mustBeFree(context.live, record);
  const { access, hooks } = definitionAccess(context);
  const updates = {
    ...(change.content === undefined ? {} : { content: await filteredText(context, change.content) }),
    ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
  };
  await updateMessage({ access, hooks: () => hooks }, id, updates);
  return toMessage(getMessage(context.live, id));
}

/** Deletes a message and the results of its calls. */
function deleteMessage(live: LiveThread, id: string): void {
  const record = getMessage(live, id);
  mustBeFree(live, record);
  const doomed = [record, ...resultsOf(live, record)];
  const drafts = doomed.map((message) => ({
    type: "message_deleted" as const,
    message_id: message.id,
    message: {
      ...toMessage(message),
      parts: [],
      content: null,
      tool_calls: null,
      result: null,
      attachments: [],
      metadata: {},
    },
  }));
  live.emit(drafts, () => {
    for (const message of doomed) {
      if (message.updated_seq !== undefined) live.store.deleteEvent(message.updated_seq);
      live.deleteMessage(message);
    }
    live.markIdleChange();
  });
}

function resultsOf(live: LiveThread, record: MessageRecord): MessageRecord[] {
  const ids = new Set(callsOf(record).map((call) => call.id));
  if (ids.size === 0) return [];
  // Results come directly after their calls, with few messages between them, so only a few more rows than calls are read.
  const next = live.store.messages({
    branch: record.branch,
    order: "asc",
    limit: ids.size + 20,
    beyond: record.position,
    includeSilent: true,
  });
  return next.filter((message) => message.tool_call_id !== null && ids.has(message.tool_call_id));
}

/** Refuses a change of a message that the active run uses, or that is not on the thread's branch. */
function mustBeFree(live: LiveThread, record: MessageRecord): void {
  const { branch, active_run_id: active } = live.record;
  if (!isOnBranch(live.store, branch, record)) {
    const message = `The message is on the branch "${record.branch}", and the thread is on another one. Change to it with POST …/checkout first.`;
    throw refuse("conflict", message, { branch_id: record.branch });
  }
  if (active === null || record.run_id !== active) return;
  throw refuse("conflict", "A run is using this message. Wait for it, or stop it.", { run_id: active });
}

/** The number of messages that match a filter, from the thread's counts; null for a branch other than the current one. */
function knownTotal(
  record: Readonly<ThreadRecord>,
  query: { branch: string; includeSilent: boolean; maxDepth?: number | undefined },
): number | null {
  return query.branch === record.branch ? totalOf(record.counts, query) : null;
}
