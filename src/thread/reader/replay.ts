// What was told after a number, made again from rows: a pure function of what is stored. Reads from the run that was
// under way at that number to the end, never the whole thread.

import type { PlainEvent } from "#contract/event.ts";
import { isFinished } from "#contract/run.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, RunRecord, StoredEvent, ThreadRecord } from "#core/record.ts";
import { callsOf } from "#core/run-state.ts";
import { fromStored } from "#core/stored-event.ts";
import type { EventSource } from "#core/stored-event.ts";

import { boundedRows } from "../method/bounded-page.ts";

const page = 50;

/** Messages and step rows, and UTF-16 units of JSON of each, that a part of a replay is made from. */
const part = { limit: 300, bytes: 4 * 1024 * 1024 };

/** The same for a run with nested lines, which cannot be told in parts. */
const wholeRun = { limit: 20_000, bytes: 16 * 1024 * 1024 };

/** A part of a replay: events in order, and the number up to which they are all there; null when nothing is left out. */
export interface ReplayPart {
  events: PlainEvent[];
  upTo: number | null;
}

/** Events with a greater number than `after`, in order; of a long tail only its beginning. */
export function replay(store: ThreadStore, thread: ThreadRecord, after: number): ReplayPart {
  const { runs, active } = runsSince(store, after);
  const { start, answer } = firstUntold(store, thread, {
    start: active?.after_position ?? restSince(store, thread, { runs, after }),
    after,
  });
  const cut = tailMessages(store, thread, { start, bounds: part });
  // A call that holds lines of its own stands before them and is told after them: such a run is read in one piece.
  const nested = cut.more && cut.rows.some(({ depth }) => depth > 0);
  const bounds = nested ? wholeRun : part;
  const messages = nested ? tailMessages(store, thread, { start, bounds }) : cut;
  const logs = tailLogs(store, active ?? runs.at(-1), { after, bounds });
  const stored = [
    ...store.eventsAfter(after),
    ...runs.flatMap((run) => run.events),
    ...logs.rows.flatMap((log) => log.events),
    ...messages.rows.flatMap((message) => message.events),
  ];
  const upTo = earlier(
    messages.more ? beforeLast(messages.rows, after) : null,
    logs.more ? Math.max(after + 1, ...logs.rows.flatMap((log) => log.events.at(-1)?.seq ?? [])) : null,
  );
  const known = answer === null ? messages.rows : [answer, ...messages.rows];
  const source = eventSource(store, { threadId: thread.id, runs, messages: known });
  const events = stored
    .filter((event) => event.seq > after && (upTo === null || event.seq <= upTo))
    .sort((left, right) => left.seq - right.seq)
    .flatMap((event) => fromStored(event, source) ?? []);
  return { events, upTo };
}

/** Goes on behind the messages that were told already; `answer` is the last of them, whose calls may still be told. */
function firstUntold(
  store: ThreadStore,
  thread: ThreadRecord,
  { start, after }: { start: string; after: number },
): { start: string; answer: MessageRecord | null } {
  let from = start;
  let answer: MessageRecord | null = null;
  for (;;) {
    const batch = store.messages(tailQuery(thread, from, page));
    for (const message of batch) {
      const last = message.events.at(-1)?.seq;
      if (last !== undefined && last > after) return { start: from, answer };
      // A tool message is told by its step's row: only the answer before it says that it may be over.
      if (last === undefined) continue;
      from = message.position;
      if (message.role === "assistant") answer = message;
    }
    if (batch.length < page) return { start: from, answer };
    from = batch.at(-1)?.position ?? from;
  }
}

function tailQuery(thread: ThreadRecord, from: string, limit: number) {
  const beyond = from === "" ? undefined : from;
  return { branch: thread.branch, order: "asc" as const, includeSilent: true, limit, beyond };
}

/** The messages after a position, as many as may be in memory at once. */
function tailMessages(
  store: ThreadStore,
  thread: ThreadRecord,
  { start, bounds }: { start: string; bounds: typeof part },
) {
  return boundedRows(
    (beyond, limit) => store.messages(tailQuery(thread, beyond ?? "", limit)),
    (message) => message.position,
    { ...bounds, beyond: start },
  );
}

function tailLogs(
  store: ThreadStore,
  oldest: RunRecord | undefined,
  { after, bounds }: { after: number; bounds: typeof part },
) {
  if (oldest === undefined) return { rows: [], more: false };
  const read = (beyond: string | undefined, limit: number) => store.logs({ order: "asc", limit, beyond });
  let from = oldest.id;
  // Rows that were told already are passed over a page at a time.
  for (let told = true; told;) {
    const batch = read(from, page);
    const first = batch.findIndex((log) => (log.events.at(-1)?.seq ?? 0) > after);
    told = first === -1 && batch.length === page;
    from = batch[first === -1 ? batch.length - 1 : first - 1]?.id ?? from;
  }
  return boundedRows(read, (log) => log.id, { ...bounds, beyond: from });
}

/**
 * Everything told before the last message that was read began is in these rows: what stands behind it was told later. Where
 * that is no progress, the message itself is told.
 */
function beforeLast(messages: readonly MessageRecord[], after: number): number | null {
  const last = messages.findLast((message) => message.events.length > 0);
  const begin = (last?.events[0]?.seq ?? 0) - 1;
  return begin > after ? begin : Math.max(after + 1, last?.events.at(-1)?.seq ?? 0);
}

function earlier(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}

/** Runs that told something since, newest first, and the one that was under way at that number. */
function runsSince(store: ThreadStore, after: number): { runs: RunRecord[]; active: RunRecord | null } {
  const runs: RunRecord[] = [];
  let beyond: string | undefined;
  for (;;) {
    const batch = store.runs({ order: "desc", limit: page, beyond });
    for (const run of batch) {
      const last = run.events.at(-1)?.seq ?? 0;
      const over = isFinished(run.status) && last <= after;
      if (over && run.started_at !== null) return { runs, active: null };
      if (over) continue;
      runs.push(run);
      const first = firstNumber(run.events);
      if (first !== null && first <= after) return { runs, active: run };
    }
    beyond = batch.at(-1)?.id;
    if (batch.length < page) return { runs, active: null };
  }
}

/**
 * No run was under way at that number: the position before the first message that was added at rest since. Messages at rest
 * are told in the order of their positions, so the search goes back from the first run since then and stops early.
 */
function restSince(
  store: ThreadStore,
  thread: ThreadRecord,
  { runs, after }: { runs: readonly RunRecord[]; after: number },
): string {
  const first = runs.findLast((run) => run.started_at !== null);
  let start = first?.after_position ?? thread.last_position;
  let beyond = first === undefined ? undefined : `${start}~`;
  if (first !== undefined && start === "") return "";
  for (;;) {
    const batch = store.messages({
      branch: thread.branch,
      order: "desc",
      limit: 1,
      beyond,
      includeSilent: true,
    });
    const [message] = batch;
    if (message === undefined) return "";
    start = message.position;
    const last = message.events.at(-1)?.seq ?? 0;
    if (last <= after) return start;
    beyond = start;
  }
}

function firstNumber(events: readonly StoredEvent[]): number | null {
  return events.find((event) => event.type === "run_start")?.seq ?? null;
}

function eventSource(
  store: ThreadStore,
  known: { threadId: string; runs: readonly RunRecord[]; messages: readonly MessageRecord[] },
): EventSource {
  const messages = new Map(known.messages.map((message) => [message.id, message]));
  const calls = new Map<string, MessageRecord>();
  for (const message of known.messages) {
    for (const call of callsOf(message)) calls.set(call.id, message);
  }
  return {
    threadId: known.threadId,
    message: (id) => messages.get(id) ?? store.message(id) ?? undefined,
    callMessage: (callId) => calls.get(callId),
    run: (id) => known.runs.find((run) => run.id === id) ?? store.run(id) ?? undefined,
  };
}
