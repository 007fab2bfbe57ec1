// Reads the messages before a run, without those of nested loops.

import type { Side } from "#contract/thread-message.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { isAnswer } from "#core/record/scope.ts";
import { otherSide } from "#flow/strategy/conversation-strategy.ts";
import type { ReadRange } from "#flow/strategy/participant.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import type { LiveThread } from "../live/live-thread.ts";

/** The branch and the beginning of a run. */
type RunStart = Pick<RunRecord, "branch" | "after_position">;

/** Up to `limit` messages before the run, newest first; with a range, only those within it. */
export function messagesBefore(
  { store }: LiveThread,
  run: RunStart,
  { limit, range }: { limit: number; range?: ReadRange | undefined },
): MessageRecord[] {
  if (run.after_position === "") return [];
  const newest = store.messages({
    branch: run.branch,
    order: "desc",
    limit,
    includeSilent: true,
    maxDepth: 0,
    // The store's bound is exclusive. `~` sorts after the position, so that the message at the position is included.
    beyond: `${run.after_position}~`,
    ...(range === undefined ? {} : { above: directlyBefore(range.from) }),
  });
  if (range === undefined) return newest;
  const oldest = newest.at(-1)?.position ?? range.from;
  const single = range.head.flatMap((id) => store.message(id) ?? []);
  const found = range.withAnswers ? single.flatMap((one) => [one, ...untilAnswer(store, run.branch, one)]) : single;
  const before = new Map(found.flatMap((one) => (one.position < oldest ? [[one.position, one]] : [])));
  return [...newest, ...[...before.values()].toSorted((left, right) => (left.position < right.position ? 1 : -1))];
}

/** The number of messages that one query reads in search of the next answer, and the number of queries. */
const answerPage = 4;
const answerPages = 6;

/** The messages after a message up to the next answer, oldest first. An answer that is far away is not found. */
function untilAnswer(store: LiveThread["store"], branch: string, { position }: MessageRecord): MessageRecord[] {
  const found: MessageRecord[] = [];
  let beyond = position;
  for (let pages = 0; pages < answerPages; pages += 1) {
    const page = store.messages({ branch, order: "asc", limit: answerPage, includeSilent: true, maxDepth: 0, beyond });
    const answer = page.findIndex(isAnswer);
    found.push(...(answer === -1 ? page : page.slice(0, answer + 1)));
    const last = page.at(-1);
    if (answer !== -1 || last === undefined) break;
    beyond = last.position;
  }
  return found;
}

/** A bound below a position and above every lower position. The store excludes the bound itself, so the position is included. */
function directlyBefore(position: string): string {
  const last = position.length - 1;
  return `${position.slice(0, last)}${String.fromCharCode(position.charCodeAt(last) - 1)}~`;
}

/** The maximum number of messages that are searched for one that belongs to a run. Messages that belong to no run may follow it. */
const lookBack = 10;

/**
 * A run of the kind `continue` carries on the run before it, unless that run was completed. Several such runs form a chain. Returns the
 * first run of the chain that ends with `run`; null if `run` carries on no other run.
 */
export function carriedOn(live: LiveThread, run: RunRecord): RunRecord | null {
  let first: RunRecord | null = null;
  // Each found run is earlier than the last one, so the loop ends.
  for (let current = run; current.kind === "continue";) {
    const id = messagesBefore(live, current, { limit: lookBack }).find((message) => message.run_id !== null)?.run_id;
    const before = id == null ? null : live.store.run(id);
    if (before === null || before.status === "completed") break;
    first = before;
    current = before;
  }
  return first;
}

/** The messages from the start of the run `first` up to the start of `run`, oldest first, including those of nested loops. */
export function carriedMessages(live: LiveThread, first: RunRecord, run: RunRecord): MessageRecord[] {
  const messages = live.store.messagesAfter(run.branch, first.after_position);
  return messages.filter(({ position }) => position <= run.after_position);
}

/** The maximum number of messages that are searched for the last answer. Between two answers there are only the results of one step. */
const answerLookBack = 50;

/** The side of the first step, `a` or `b`: the one that did not answer last (decision 9: two models in a thread). */
export function firstSide(live: LiveThread, run: RunStart, agent: AnyAgentDefinition): Side {
  if (agent.type !== "dual_ai") return "a";
  const last = messagesBefore(live, run, { limit: answerLookBack }).find(isAnswer)?.side ?? "b";
  return otherSide(last);
}
