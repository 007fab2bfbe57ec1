// Builds the trace of a run from its record, its log and its events. Figures come from the log; times of things without
// a log row come from the events. The function is pure; the trace is built again whenever there is more data.

import type { Log, Run, ThreadEvent } from "threadhold/client";

import { loggedRun } from "./logged-run.ts";
import type { LoggedAttempt, LoggedCall, LoggedNote } from "./logged-run.ts";
import { stepKey } from "./step-key.ts";
import { streamedRun } from "./streamed-run.ts";
import type {
  StreamedAttempt,
  StreamedCall,
  StreamedNote,
  StreamedRun,
  StreamedStep,
  StreamedWait,
} from "./streamed-run.ts";
import type {
  AttemptNode,
  NoteNode,
  RunNode,
  StepNode,
  StepPlace,
  ToolNode,
  TraceNode,
  WaitNode,
} from "./trace-node.ts";

/** The data of a run. */
export interface KnownRun {
  thread_id: string;
  run: Run;
  logs: readonly Log[];
  events: Iterable<ThreadEvent>;
  /** A prefix of all keys, because a child thread's trace is part of its parent's. */
  prefix?: string | undefined;
}

export function buildTrace({ thread_id, run, logs, events, prefix = "" }: KnownRun): RunNode {
  const of = { thread_id, run_id: run.id, prefix };
  const streamed = streamedRun(events, run.id);
  const logged = loggedRun(logs);
  const attempts = mergedAttempts(streamed.attempts, logged.attempts).map((known) => attemptNode(known, of));
  const calls = mergedCalls(streamed.calls, logged.calls);
  const places = placesOf(streamed, attempts);
  const linesUnder = (message: string | null): StepNode[] =>
    message === null ? [] : [...places.values()].filter(({ place }) => place.under === message).map(stepNode);
  const toolNode = (known: MergedCall): ToolNode => {
    const node = callNode(known, of);
    return node.kind === "child" ? node : { ...node, children: linesUnder(node.message_id) };
  };

  function stepNode({ place, streamed: step }: PlaceKnown): StepNode {
    const here = (one: { place: StepPlace | null }): boolean => one.place !== null && isSame(one.place, place);
    const children: TraceNode[] = inOrder([
      ...attempts.filter(here),
      ...streamed.waits.filter((wait) => here(wait) && isShown(wait)).map((wait) => waitNode(wait, of)),
      ...calls.filter(({ streamed: call }) => call !== null && here(call)).map(toolNode),
    ]);
    const start = Math.min(step?.start ?? Number.POSITIVE_INFINITY, ...children.map((child) => child.start));
    const end = step === null ? lastEnd(children) : step.end;
    const last = children.findLast((child) => child.kind === "attempt");
    const failed = end !== null && last?.state === "failed";
    const state =
      end === null ? stateOfOpen(children) : failed ? "failed" : last?.state === "stopped" ? "stopped" : "done";
    const key = `${prefix}step ${stepKey(place)}`;
    const { reasoning = null, plan = null } = step ?? {};
    const [name, aside] = [`Step ${place.step}`, asideOfStep(step)];
    return { kind: "step", key, name, aside, start, end, state, place, reasoning, plan, children, ...of };
  }

  const lost = calls.filter(({ streamed: call }) => call === null).map((known) => callNode(known, of));
  const top = inOrder([
    ...linesOfRun(places, calls).map(stepNode),
    ...lost,
    ...streamed.waits.filter(({ place }) => place === null).map((wait) => waitNode(wait, of)),
    ...notesOf(streamed.notes, logged.notes).map((note) => noteNode(note, of)),
  ]);
  const start = streamed.start ?? run.started_at ?? run.created_at;
  const end = run.ended_at ?? streamed.end;
  const { name, aside } = { name: run.agent_id, aside: run.error?.message ?? reasonOf(run) };
  return {
    kind: "run",
    key: `${prefix}run`,
    name,
    aside,
    start,
    end,
    state: stateOfRun(run, streamed, top),
    children: top,
    ...of,
  };
}

/** The phase of a step, the progress of its plan, and its side. */
function asideOfStep(step: StreamedStep | null): string | null {
  const { phase = null, plan = null, side = null } = step ?? {};
  const completed = (plan ?? []).filter(({ status }) => status === "completed").length;
  const words = [
    ...(phase === null ? [] : [phase]),
    ...(plan === null ? [] : [`${completed} of ${plan.length} done`]),
    ...(side === "b" ? ["side B"] : []),
  ];
  return words.length === 0 ? null : words.join(", ");
}

interface PlaceKnown {
  place: StepPlace;
  streamed: StreamedStep | null;
}

/** Every step that the events or the log contain. */
function placesOf(streamed: StreamedRun, attempts: readonly AttemptNode[]): Map<string, PlaceKnown> {
  const places = new Map<string, PlaceKnown>();
  for (const step of streamed.steps) places.set(stepKey(step.place), { place: step.place, streamed: step });
  for (const { place } of attempts) {
    if (!places.has(stepKey(place))) places.set(stepKey(place), { place, streamed: null });
  }
  return places;
}

/** Steps of the run's main scope, and those of nested scopes whose call is unknown. */
function linesOfRun(places: ReadonlyMap<string, PlaceKnown>, calls: readonly MergedCall[]): PlaceKnown[] {
  const known = new Set(calls.flatMap(({ streamed }) => (isHere(streamed) ? [streamed.message_id] : [])));
  return [...places.values()].filter(({ place: { under } }) => under === null || !known.has(under));
}

type MergedAttempt = { streamed: StreamedAttempt | null; logged: LoggedAttempt | null };

/**
 * Merges attempts of events and log. A log row belongs to the first matching attempt of the events without a row. The
 * log has no row for an attempt that a crash interrupted.
 */
function mergedAttempts(streamed: readonly StreamedAttempt[], logged: readonly LoggedAttempt[]): MergedAttempt[] {
  const rows = [...logged];
  const merged = streamed.map((attempt): MergedAttempt => {
    const at = attempt.cut ? -1 : rows.findIndex((row) => isOfAttempt(row, attempt));
    return { streamed: attempt, logged: at === -1 ? null : (rows.splice(at, 1)[0] ?? null) };
  });
  return [...merged, ...rows.map((row) => ({ streamed: null, logged: row }))];
}

function isOfAttempt(row: LoggedAttempt, { place, model, attempt }: StreamedAttempt): boolean {
  return isSame(row.place, place) && row.model === model && row.attempt === attempt;
}

function attemptNode({ streamed, logged }: MergedAttempt, of: Of): AttemptNode {
  const place = logged?.place ?? streamed?.place ?? { under: null, step: 0 };
  const start = logged?.start ?? streamed?.start ?? 0;
  const end = logged?.end ?? streamed?.end ?? null;
  const error = logged?.error ?? streamed?.error ?? null;
  const cut = streamed?.cut === true;
  const attempt = logged?.attempt ?? streamed?.attempt ?? 1;
  const model = logged?.model ?? streamed?.model ?? "";
  const stopped = error?.code === "aborted" || (logged?.stop_reason ?? streamed?.stop_reason) === "aborted";
  const state = end === null ? "running" : stopped ? "stopped" : error !== null || cut ? "failed" : "done";
  const usage = logged?.usage ?? streamed?.usage ?? null;
  const first = streamed?.first ?? null;
  return {
    kind: "attempt",
    key: `${of.prefix}attempt ${stepKey(place)} ${model} ${attempt}${cut ? ` ${start}` : ""}`,
    name: model,
    aside: error?.message ?? (cut ? "interrupted when the server stopped" : attempt > 1 ? `attempt ${attempt}` : null),
    start,
    end,
    state,
    children: [],
    place,
    log_id: logged?.id ?? null,
    model,
    provider: logged?.provider ?? null,
    model_id: logged?.model_id ?? null,
    attempt,
    message_id: logged?.message_id ?? streamed?.message_id ?? null,
    stop_reason: logged?.stop_reason ?? streamed?.stop_reason ?? null,
    error,
    usage,
    estimated: logged?.estimated ?? false,
    cost: logged === null ? (streamed?.cost ?? null) : logged.cost,
    latency_ms: logged?.latency_ms ?? (end === null ? null : (end - start) / 1000),
    first_token_ms: logged === null ? (first === null ? null : (first - start) / 1000) : logged.first_token_ms,
    ...of,
  };
}

type MergedCall = { streamed: StreamedCall | null; logged: LoggedCall | null };

function mergedCalls(streamed: readonly StreamedCall[], logged: readonly LoggedCall[]): MergedCall[] {
  const byMessage = new Map(logged.map((call) => [call.message_id ?? call.id, call]));
  const merged = streamed.map((call): MergedCall => {
    const key = call.message_id ?? "";
    const row = byMessage.get(key) ?? null;
    byMessage.delete(key);
    return { streamed: call, logged: row };
  });
  return [...merged, ...[...byMessage.values()].map((row) => ({ streamed: null, logged: row }))];
}

/** Whether the thread itself has stored the steps of a call. The steps of a child agent are stored in the child thread. */
function isHere(call: StreamedCall | null): call is StreamedCall {
  return call !== null && typeof call.child_thread_id !== "string";
}

function callNode({ streamed, logged }: MergedCall, of: Of): ToolNode {
  const start = streamed?.start ?? logged?.start ?? 0;
  const duration_ms = logged?.duration_ms ?? streamed?.duration_ms ?? null;
  const end = streamed === null ? start + (duration_ms ?? 0) * 1000 : streamed.end;
  const failed = logged?.is_error ?? streamed?.is_error ?? false;
  const remote = streamed?.remote === true;
  const error = streamed?.result?.status === "error" ? streamed.result.error : undefined;
  return {
    kind: streamed?.child_thread_id === undefined ? "tool" : streamed.child_thread_id === null ? "prompt" : "child",
    // The same key before and after the call's events arrive: a user may have selected the bar of its log row.
    key: `${of.prefix}call ${streamed?.message_id ?? logged?.message_id ?? logged?.id ?? streamed?.call_id ?? ""}`,
    name: streamed?.name ?? logged?.name ?? "",
    aside: failed
      ? (error ?? "failed")
      : remote
        ? end === null
          ? "waiting for a client"
          : "answered by a client"
        : null,
    start,
    end,
    state: end === null ? (remote ? "waiting" : "running") : failed ? "failed" : "done",
    children: [],
    place: streamed?.place ?? { under: null, step: 0 },
    log_id: logged?.id ?? null,
    call_id: streamed?.call_id ?? logged?.call_id ?? "",
    message_id: streamed?.message_id ?? logged?.message_id ?? null,
    args: streamed?.args ?? null,
    output: streamed?.output ?? "",
    progress: streamed?.progress ?? null,
    result: streamed?.result ?? null,
    duration_ms: duration_ms ?? (end === null ? null : (end - start) / 1000),
    stack: logged?.stack ?? null,
    child_thread_id: streamed?.child_thread_id ?? null,
    remote,
    ...of,
  };
}

/** A wait for a client's result is shown by the bar of the call itself. */
function isShown({ waits_for }: StreamedWait): boolean {
  return waits_for !== "remote";
}

const waitWords: Readonly<Record<StreamedWait["waits_for"], string>> = {
  approval: "waiting for approval",
  remote: "waiting for a client",
  limit: "waiting at a limit",
  question: "waiting for an answer",
  "back-off": "before the next attempt",
};

function waitNode({ waits_for, name, call_id, start, end }: StreamedWait, of: Of): WaitNode {
  return {
    kind: "wait",
    key: `${of.prefix}wait ${call_id ?? start}`,
    name: waits_for === "limit" ? "Limit" : name,
    aside: waitWords[waits_for],
    start,
    end,
    state: end === null ? "waiting" : "done",
    children: [],
    waits_for,
    call_id,
    ...of,
  };
}

function notesOf(streamed: readonly StreamedNote[], logged: readonly LoggedNote[]): (StreamedNote & { id: string })[] {
  // A recovery is both an event and a log row. The row has more details, so the event is left out.
  const recovered = logged.some(({ name }) => name.startsWith("Resumed"));
  // Numbered before the filter, so that a row that arrives later changes no other id.
  const events = streamed.map((note, at) => ({ ...note, id: `streamed ${at}` }));
  return [...events.filter(({ name }) => !(recovered && name.startsWith("Resumed"))), ...logged];
}

function noteNode({ id, at, name, aside, failed, data }: StreamedNote & { id: string }, of: Of): NoteNode {
  const state = failed ? "failed" : "done";
  return {
    kind: "note",
    key: `${of.prefix}note ${id}`,
    name,
    aside,
    start: at,
    end: at,
    state,
    children: [],
    data,
    ...of,
  };
}

type Of = Pick<TraceNode, "thread_id" | "run_id" | "prefix">;

function isSame(one: StepPlace, other: StepPlace): boolean {
  return one.step === other.step && one.under === other.under;
}

/** Sorted by start. Of nodes that start together the model's attempt is first, because it requested the others. */
function inOrder(nodes: readonly TraceNode[]): TraceNode[] {
  return [...nodes].sort((one, other) => one.start - other.start || rankOf(one) - rankOf(other));
}

function rankOf({ kind }: TraceNode): number {
  return kind === "attempt" ? 0 : kind === "wait" ? 1 : 2;
}

function lastEnd(nodes: readonly TraceNode[]): number | null {
  let last = 0;
  for (const { end } of nodes) {
    if (end === null) return null;
    last = Math.max(last, end);
  }
  return last;
}

function stateOfOpen(children: readonly TraceNode[]): "running" | "waiting" {
  const open = children.filter(({ end }) => end === null);
  return open.length > 0 && open.every(({ state }) => state === "waiting") ? "waiting" : "running";
}

function stateOfRun({ status }: Run, { end }: StreamedRun, top: readonly TraceNode[]): TraceNode["state"] {
  switch (status) {
    case "error":
      return "failed";
    case "stopped":
    case "limit":
      return "stopped";
    case "completed":
      return "done";
    case "queued":
      return "waiting";
    case "running":
    case "awaiting_tool_execution":
      return end === null ? stateOfOpen(top) : "done";
  }
}

function reasonOf({ status, reason }: Run): string | null {
  return status === "limit" ? `ended at a limit: ${(reason ?? "unknown").replaceAll("_", " ")}` : null;
}
