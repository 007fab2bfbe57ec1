// The invariants of a thread's transcript. Each turn of a tested thread asserts them, and so do the repository's own tests.

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { Message } from "#contract/thread-message.ts";

/** What a subscription to all events of an idle thread received, and the stored messages. */
export interface Transcript {
  /** The events from the first one on, silent ones included. */
  events: readonly ThreadEvent[];
  /** The stored messages, silent ones included. */
  messages: readonly Message[];
  /** The number of the last event, as the thread states it. Without it, missing events at the end are not noticed. */
  lastSeq?: number;
}

/** Returns each violation of an invariant as a sentence. The thread must be idle, because a run in progress has open calls and messages. */
export function transcriptProblems({ events, messages, lastSeq }: Transcript): string[] {
  return [
    ...orderProblems(events, 0),
    ...endProblems(events, lastSeq),
    ...runProblems(events),
    ...callProblems(messages),
    ...messageDifferences(foldAll(events).messages, messages),
  ];
}

/**
 * Violations of the order of one subscription: numbers increase, and `prev` is the number of the frame before. `after` is the number after
 * which the subscription begins. Without it, the first frame is not checked.
 */
export function orderProblems(
  frames: readonly { seq: number; type: string; prev?: number | undefined }[],
  after?: number,
): string[] {
  return frames.flatMap(({ seq, type, prev }, at) => {
    const name = `The event ${String(seq)} (${type})`;
    const before = frames[at - 1];
    // A snapshot at the beginning has `prev` 0, whatever number the subscription asked for.
    const expected = before === undefined && type === "snapshot" && after !== undefined ? 0 : (before?.seq ?? after);
    if (expected === undefined) return [];
    if (before !== undefined && seq <= before.seq)
      return [`${name} follows event ${String(before.seq)} (${before.type}).`];
    if (prev === undefined || prev === expected) return [];
    return [`${name} states ${String(prev)} as the number of the event before it, which is ${String(expected)}.`];
  });
}

/** The events reach the last number of the thread. */
function endProblems(events: readonly ThreadEvent[], lastSeq: number | undefined): string[] {
  const last = events.at(-1)?.seq ?? 0;
  if (lastSeq === undefined || last >= lastSeq) return [];
  return [
    `The events end with number ${String(last)}, and the last event of the thread has number ${String(lastSeq)}.`,
  ];
}

/**
 * Each run starts once while no other run is active, has no event before its start or after its end, and ends once. A queued run that is
 * stopped has its end alone.
 */
function runProblems(events: readonly ThreadEvent[]): string[] {
  const started = new Set<string>();
  const ended = new Set<string>();
  const problems: string[] = [];
  for (const event of events) {
    const { type, seq, run_id } = event;
    // The events before a snapshot are missing, among them the start of the active run.
    if (type === "snapshot" && event.thread.active_run_id !== null) started.add(event.thread.active_run_id);
    if (run_id === undefined || type === "snapshot") continue;
    const name = `The run ${run_id}`;
    if (ended.has(run_id)) problems.push(`${name} has the event ${String(seq)} (${type}) after its end.`);
    if (type === "run_start") {
      const active = [...started].filter((id) => !ended.has(id));
      if (started.has(run_id)) problems.push(`${name} starts twice.`);
      else problems.push(...active.map((id) => `${name} starts while the run ${id} is active.`));
      started.add(run_id);
    } else if (!started.has(run_id) && !isStopped(event)) {
      problems.push(`${name} has the event ${String(seq)} (${type}) before its start.`);
    }
    if (type === "run_end") ended.add(run_id);
  }
  const open = [...started].filter((id) => !ended.has(id));
  return [...problems, ...open.map((id) => `The run ${id} has started and not ended.`)];
}

/** Whether the event is the end of a stopped run. */
function isStopped(event: ThreadEvent): boolean {
  return event.type === "run_end" && event.status === "stopped";
}

/** Each call has one result, which follows the message of the call with only results between them, and each result has its call. */
function callProblems(messages: readonly Message[]): string[] {
  const calls = new Map<string, { name: string; results: number }>();
  /** Calls of the last message that is not a result, for each loop. The key is the message above a nested loop; null for the main loop. */
  const adjacent = new Map<string | null, Set<string>>();
  const problems: string[] = [];
  for (const { id, role, parts, tool_call_id, parent_id } of messages) {
    if (role === "tool" && tool_call_id !== null) {
      const call = calls.get(tool_call_id);
      if (call === undefined)
        problems.push(`The tool message ${id} answers the call ${tool_call_id}, which does not exist before it.`);
      else if (adjacent.get(parent_id)?.has(tool_call_id) !== true)
        problems.push(`The tool message ${id} does not follow the message of its call ${tool_call_id}.`);
      if (call !== undefined) call.results += 1;
      continue;
    }
    const made = parts.filter((part) => part.type === "tool_call");
    for (const part of made) {
      if (calls.has(part.id)) problems.push(`The call ${part.id} (${part.name}) exists twice.`);
      calls.set(part.id, { name: part.name, results: 0 });
    }
    adjacent.set(parent_id, new Set(made.map((part) => part.id)));
  }
  const wrong = [...calls].filter(([, { results }]) => results !== 1);
  return [
    ...problems,
    ...wrong.map(([id, { name, results }]) => `The call ${id} (${name}) has ${String(results)} results.`),
  ];
}

/** The first difference between messages that a subscriber folds from events and the stored ones. */
export function messageDifferences(
  folded: readonly (Message & { streaming: boolean })[],
  messages: readonly Message[],
): string[] {
  const received = folded.map(({ streaming, ...message }) => JSON.stringify([streaming, message]));
  const stored = messages.map((message) => JSON.stringify([false, message]));
  const count = Math.max(received.length, stored.length);
  const at = Array.from({ length: count }, (_, index) => index).find((index) => received[index] !== stored[index]);
  if (at === undefined) return [];
  return [
    `The events and the stored messages differ at message ${String(at)}: the events give ${received[at] ?? "nothing"}, ` +
      `and stored is ${stored[at] ?? "nothing"}.`,
  ];
}
