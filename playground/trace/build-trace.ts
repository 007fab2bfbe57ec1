// Builds the trace of a run from its record, its log and its events. Figures come from the log; times of things without
// a log row come from the events. The function is pure; the trace is built again whenever there is more data.

import type { Log, Run, ThreadEvent } from "threadhold/client";

import { loggedRun } from "./logged-run.ts";
import type { LoggedAttempt, LoggedCall, LoggedNote } from "./logged-run.ts";
import { stepKey } from "./step-key.ts";
import { toldRun } from "./told-run.ts";
import type { ToldAttempt, ToldCall, ToldNote, ToldRun, ToldStep, ToldWait } from "./told-run.ts";
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

/** Builds the trace. */
export function buildTrace({ thread_id, run, logs, events, prefix = "" }: KnownRun): RunNode {
  const of = { thread_id, run_id: run.id, prefix };
  const told = toldRun(events, run.id);
  const logged = loggedRun(logs);
  const attempts = mergedAttempts(told.attempts, logged.attempts).map((known) => attemptNode(known, of));
  const calls = mergedCalls(told.calls, logged.calls);
  const places = placesOf(told, attempts);
  const linesUnder = (message: string | null): StepNode[] =>
    message === null ? [] : [...places.values()].filter(({ place }) => place.under === message).map(stepNode);
  const toolNode = (known: MergedCall): ToolNode => {
    const node = callNode(known, of);
    return node.kind === "prompt" ? { ...node, children: linesUnder(node.message_id) } : node;
  };

  function stepNode({ place, told: step }: PlaceKnown): StepNode {
    const here = (one: { place: StepPlace | null }): boolean => one.place !== null && isSame(one.place, place);
    const children: TraceNode[] = inOrder([
      ...attempts.filter(here),
      ...told.waits.filter((wait) => here(wait) && isShown(wait)).map((wait) => waitNode(wait, of)),
      ...calls.filter(({ told: call }) => call !== null && here(call)).map(toolNode),
    ]);
    const start = Math.min(step?.start ?? Number.POSITIVE_INFINITY, ...children.map((child) => child.start));
    const end = step === null ? lastEnd(children) : step.end;
    const last = children.findLast((child) => child.kind === "attempt");
    const failed = end !== null && last?.state === "failed";
    const state =
      end === null ? stateOfOpen(children) : failed ? "failed" : last?.state === "stopped" ? "stopped" : "done";
    const side = step?.side === "b" ? "side B" : null;
    const key = `${prefix}step ${stepKey(place)}`;
    return { kind: "step", key, name: `Step ${place.step}`, aside: side, start, end, state, place, children, ...of };
  }

  const lost = calls.filter(({ told: call }) => call === null).map((known) => callNode(known, of));
  const top = inOrder([
    ...linesOfRun(places, calls).map(stepNode),
    ...lost,
    ...told.waits.filter(({ place }) => place === null).map((wait) => waitNode(wait, of)),
    ...notesOf(told.notes, logged.notes).map((note) => noteNode(note, of)),
  ]);
  const start = told.start ?? run.started_at ?? run.created_at;
  const end = run.ended_at ?? told.end;
  const { name, aside } = { name: run.agent_id, aside: run.error?.message ?? reasonOf(run) };
  return {
    kind: "run",
    key: `${prefix}run`,
    name,
    aside,
    start,
    end,
    state: stateOfRun(run, told, top),
    children: top,
    ...of,
  };
}

interface PlaceKnown {
  place: StepPlace;
  told: ToldStep | null;
}

/** Every step that the events or the log contain. */
function placesOf(told: ToldRun, attempts: readonly AttemptNode[]): Map<string, PlaceKnown> {
  const places = new Map<string, PlaceKnown>();
  for (const step of told.steps) places.set(stepKey(step.place), { place: step.place, told: step });
  for (const { place } of attempts) {
    if (!places.has(stepKey(place))) places.set(stepKey(place), { place, told: null });
  }
  return places;
}

/** Steps of the run's main scope, and those of nested scopes whose call is unknown. */
function linesOfRun(places: ReadonlyMap<string, PlaceKnown>, calls: readonly MergedCall[]): PlaceKnown[] {
  const prompts = new Set(calls.filter(isPrompt).map(({ told }) => told?.message_id ?? null));
  return [...places.values()].filter(({ place: { under } }) => under === null || !prompts.has(under));
}

type MergedAttempt = { told: ToldAttempt | null; logged: LoggedAttempt | null };

/**
 * Merges attempts of events and log. A log row belongs to the first matching attempt of the events without a row. The
 * log has no row for an attempt that a crash interrupted.
 */
function mergedAttempts(told: readonly ToldAttempt[], logged: readonly LoggedAttempt[]): MergedAttempt[] {
  const rows = [...logged];
  const merged = told.map((attempt): MergedAttempt => {
    const at = attempt.cut ? -1 : rows.findIndex((row) => isOfAttempt(row, attempt));
    return { told: attempt, logged: at === -1 ? null : (rows.splice(at, 1)[0] ?? null) };
  });
  return [...merged, ...rows.map((row) => ({ told: null, logged: row }))];
}

function isOfAttempt(row: LoggedAttempt, { place, model, attempt }: ToldAttempt): boolean {
  return isSame(row.place, place) && row.model === model && row.attempt === attempt;
}

function attemptNode({ told, logged }: MergedAttempt, of: Of): AttemptNode {
  const place = logged?.place ?? told?.place ?? { under: null, step: 0 };
  const start = logged?.start ?? told?.start ?? 0;
  const end = logged?.end ?? told?.end ?? null;
  const error = logged?.error ?? told?.error ?? null;
  const cut = told?.cut === true;
  const attempt = logged?.attempt ?? told?.attempt ?? 1;
  const model = logged?.model ?? told?.model ?? "";
  const stopped = error?.code === "aborted" || (logged?.stop_reason ?? told?.stop_reason) === "aborted";
  const state = end === null ? "running" : stopped ? "stopped" : error !== null || cut ? "failed" : "done";
  const usage = logged?.usage ?? told?.usage ?? null;
  const first = told?.first ?? null;
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
    message_id: logged?.message_id ?? told?.message_id ?? null,
    stop_reason: logged?.stop_reason ?? told?.stop_reason ?? null,
    error,
    usage,
    estimated: logged?.estimated ?? false,
    cost: logged === null ? (told?.cost ?? null) : logged.cost,
    latency_ms: logged?.latency_ms ?? (end === null ? null : (end - start) / 1000),
    first_token_ms: logged === null ? (first === null ? null : (first - start) / 1000) : logged.first_token_ms,
    ...of,
  };
}

type MergedCall = { told: ToldCall | null; logged: LoggedCall | null };

function mergedCalls(told: readonly ToldCall[], logged: readonly LoggedCall[]): MergedCall[] {
  const byMessage = new Map(logged.map((call) => [call.message_id ?? call.id, call]));
  const merged = told.map((call): MergedCall => {
    const key = call.message_id ?? "";
    const row = byMessage.get(key) ?? null;
    byMessage.delete(key);
    return { told: call, logged: row };
  });
  return [...merged, ...[...byMessage.values()].map((row) => ({ told: null, logged: row }))];
}

function isPrompt({ told }: MergedCall): boolean {
  return told?.child_thread_id === null;
}

function callNode({ told, logged }: MergedCall, of: Of): ToolNode {
  const start = told?.start ?? logged?.start ?? 0;
  const duration_ms = logged?.duration_ms ?? told?.duration_ms ?? null;
  const end = told === null ? start + (duration_ms ?? 0) * 1000 : told.end;
  const failed = logged?.is_error ?? told?.is_error ?? false;
  const remote = told?.remote === true;
  const error = told?.result?.status === "error" ? told.result.error : undefined;
  return {
    kind: told?.child_thread_id === undefined ? "tool" : told.child_thread_id === null ? "prompt" : "child",
    key: `${of.prefix}call ${told?.message_id ?? logged?.id ?? ""}`,
    name: told?.name ?? logged?.name ?? "",
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
    place: told?.place ?? { under: null, step: 0 },
    log_id: logged?.id ?? null,
    call_id: told?.call_id ?? logged?.call_id ?? "",
    message_id: told?.message_id ?? logged?.message_id ?? null,
    args: told?.args ?? null,
    output: told?.output ?? "",
    progress: told?.progress ?? null,
    result: told?.result ?? null,
    duration_ms: duration_ms ?? (end === null ? null : (end - start) / 1000),
    stack: logged?.stack ?? null,
    child_thread_id: told?.child_thread_id ?? null,
    remote,
    ...of,
  };
}

/** A wait for a client's result is shown by the bar of the call itself. */
function isShown({ waits_for }: ToldWait): boolean {
  return waits_for !== "remote";
}

const waitWords: Readonly<Record<ToldWait["waits_for"], string>> = {
  approval: "waiting for approval",
  remote: "waiting for a client",
  limit: "waiting at a limit",
  "back-off": "before the next attempt",
};

function waitNode({ waits_for, name, call_id, start, end }: ToldWait, of: Of): WaitNode {
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

function notesOf(told: readonly ToldNote[], logged: readonly LoggedNote[]): (ToldNote & { id: string })[] {
  // A recovery is both an event and a log row. The row has more details, so the event is left out.
  const recovered = logged.some(({ name }) => name.startsWith("Resumed"));
  const events = told.filter(({ name }) => !(recovered && name.startsWith("Resumed")));
  return [...events.map((note, at) => ({ ...note, id: `told ${at}` })), ...logged];
}

function noteNode({ id, at, name, aside, failed, data }: ToldNote & { id: string }, of: Of): NoteNode {
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

/** Sorted by start. Of nodes that start together the model's attempt comes first, because it asked for the others. */
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

function stateOfRun({ status }: Run, { end }: ToldRun, top: readonly TraceNode[]): TraceNode["state"] {
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
