// The settled calls that a branch leaves behind, whose results equal calls of the branch take instead of repeating the effects. They are the
// calls that were successful, or whose outcome is unknown after a crash, after the first point where the branch parted from another one, on
// every branch that has this point.

import { isJsonObject } from "#contract/json.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { callsOf } from "#core/record/run-state.ts";
import { unknownOutcome } from "#core/tools/error-results.ts";
import { argumentsText } from "#core/tools/reuse-call.ts";
import type { TakeSettled } from "#core/tools/reuse-call.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { pathOf } from "../live/switch-branch.ts";

/** The number of rows that a read has in memory. */
const page = 50;

/** A settled call: the ids of its tool message and of the answer that made it. */
interface Found {
  id: string;
  answer: string;
  /** The call is on the branch itself: it has used an earlier result, or took this one. */
  isOwn: boolean;
  reused: string | undefined;
}

/** What is in memory of the settled calls of one tool, in the order of their positions: a hash of the arguments for each one. */
type Unused = { id: string; answer: string; hash: number }[];

/**
 * Creates the search for the calls of a run. Reads nothing before the first call that may take a result. `run.repeat` are calls that the run
 * may repeat.
 */
export function settledCalls(store: ManagedThreadStore, run: RunRecord): TakeSettled {
  let found: Map<string, Found[]> | undefined;
  const unused = new Map<string, Unused>();
  return (runner, text) => {
    if (run.repeat === "all") return null;
    const { name } = runner.spec;
    found ??= findCalls(store, run);
    const known = unused.get(name) ?? unusedOf(store, found.get(name) ?? [], { runner, repeat: run.repeat ?? [] });
    unused.set(name, known);
    const hash = hashOf(text);
    for (;;) {
      const at = known.findIndex((one) => one.hash === hash);
      const [one] = at === -1 ? [] : known.splice(at, 1);
      if (one === undefined) return null;
      const message = store.message(one.id);
      // The row may have been deleted or changed since it was found, and two texts may have the same hash.
      if (message !== null && isSettled(message) && textOf(store, { ...one, message }, runner) === text) return message;
    }
  };
}

/** Reads every message after the first point where the branch parted, once. */
function findCalls(store: ManagedThreadStore, { branch }: RunRecord): Map<string, Found[]> {
  const found = new Map<string, Found[]>();
  const own = pathOf(store, branch);
  const [first] = own;
  if (first === undefined || own.length === 1 || first.upTo === null) return found;
  const point = first.upTo;
  /** For each branch: whether it has the point. */
  const parted = new Map<string, boolean>();
  const hasPoint = (id: string): boolean => {
    const known = parted.get(id);
    if (known !== undefined) return known;
    const [start] = pathOf(store, id);
    const has = start?.branch === first.branch && (start.upTo === null || start.upTo >= point);
    parted.set(id, has);
    return has;
  };
  const ends = new Map(own.map(({ branch: id, upTo }) => [id, upTo ?? "~"]));
  /** The answers whose calls have no result yet. */
  const answers = new Map<string, string>();
  for (const message of store.timeline({ order: "asc", page, beyond: point })) {
    if (!hasPoint(message.branch)) continue;
    for (const call of callsOf(message)) answers.set(callKey(message, call.id), message.id);
    const { id, name, tool_call_id, reused_from: reused } = message;
    if (name === null || tool_call_id === null || !isSettled(message)) continue;
    const isOwn = message.position <= (ends.get(message.branch) ?? "");
    // A call that took a result had no effect of its own.
    if (!isOwn && reused !== undefined) continue;
    const key = callKey(message, tool_call_id);
    const answer = answers.get(key) ?? answerOf(store, message);
    answers.delete(key);
    if (answer === undefined) continue;
    const calls = found.get(name) ?? [];
    found.set(name, calls);
    calls.push({ id, answer, isOwn, reused });
  }
  return found;
}

/**
 * The calls of a tool whose results are not used on the branch. A call of the branch that ran although an earlier result was there repeated
 * it on request, and so has used it.
 */
function unusedOf(
  store: ManagedThreadStore,
  found: readonly Found[],
  { runner, repeat }: { runner: ToolRunner; repeat: readonly string[] },
): Unused {
  const unused: Unused = [];
  for (const { id, answer, isOwn, reused } of found) {
    const message = store.message(id);
    const text = message === null ? null : textOf(store, { answer, message }, runner);
    if (message === null || text === null) continue;
    const hash = hashOf(text);
    if (isOwn) {
      const at = unused.findIndex((one) => (reused === undefined ? one.hash === hash : one.id === reused));
      if (at !== -1) unused.splice(at, 1);
    } else unused.push({ id, answer, hash });
  }
  const named = new Set(repeat);
  return named.size === 0 ? unused : unused.filter(({ id }) => !named.has(store.message(id)?.tool_call_id ?? ""));
}

function isSettled({ role, status, result }: MessageRecord): boolean {
  if (role !== "tool" || status !== "complete" || result === null) return false;
  return result.status === "success" || result.error === unknownOutcome.error;
}

/** Ids of calls are distinct within a loop of a branch only. */
function callKey({ branch, parent_id }: MessageRecord, callId: string): string {
  return `${branch} ${parent_id ?? ""} ${callId}`;
}

/** The answer with a call, if the branches parted between the answer and the call's message. */
function answerOf(store: ManagedThreadStore, message: MessageRecord): string | undefined {
  const { branch, position, parent_id, tool_call_id } = message;
  const before = store.messages({ branch, order: "desc", limit: page, beyond: position, includeSilent: true });
  return before.find((one) => one.parent_id === parent_id && callsOf(one).some(({ id }) => id === tool_call_id))?.id;
}

/** The text by which the arguments of a settled call are compared; null if they are gone or not valid any more. */
function textOf(
  store: ManagedThreadStore,
  { answer, message }: { answer: string; message: MessageRecord },
  runner: ToolRunner,
): string | null {
  const asking = store.message(answer);
  const call = asking === null ? undefined : callsOf(asking).find(({ id }) => id === message.tool_call_id);
  if (call === undefined || !isJsonObject(call.arguments)) return null;
  return argumentsText(runner, call.arguments)?.text ?? null;
}

/** A hash of 32 bits (FNV-1a). Texts with the same hash are compared before a result is used. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
