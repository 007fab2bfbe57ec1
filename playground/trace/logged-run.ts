// Reads the attempts and calls of a run from its log. The data of a row is JSON whose fields depend on the server's
// version, so every field is checked before it is used.

import type { Json, JsonObject, Log, RunError, Usage } from "threadhold/client";

import { listOf, objectOf, textOf } from "../kit/json-value.ts";
import type { StepPlace } from "./trace-node.ts";

export interface LoggedAttempt {
  id: string;
  place: StepPlace;
  start: number;
  end: number;
  attempt: number;
  model: string;
  provider: string | null;
  model_id: string | null;
  message_id: string | null;
  stop_reason: string | null;
  error: RunError | null;
  usage: Usage | null;
  estimated: boolean;
  cost: number | null;
  latency_ms: number;
  first_token_ms: number | null;
}

export interface LoggedCall {
  id: string;
  message_id: string | null;
  call_id: string;
  name: string;
  is_error: boolean;
  duration_ms: number | null;
  start: number;
  stack: string | null;
}

export interface LoggedNote {
  id: string;
  at: number;
  name: string;
  aside: string | null;
  failed: boolean;
  data: JsonObject;
}

/** The data of a run's log. */
export interface LoggedRun {
  attempts: LoggedAttempt[];
  calls: LoggedCall[];
  notes: LoggedNote[];
}

/** Reads log rows, in any order. */
export function loggedRun(logs: readonly Log[]): LoggedRun {
  const attempts: LoggedAttempt[] = [];
  const calls: LoggedCall[] = [];
  const notes: LoggedNote[] = [];
  for (const log of logs) {
    if (log.type === "llm_request") attempts.push(attemptOf(log));
    else if (log.type === "tool_call" && log.data["tools"] === undefined) calls.push(callOf(log));
    else if (log.type !== "tool_call") notes.push(noteOf(log));
    for (const words of listOf(log.data["warnings"])) notes.push(warningOf(log, words, notes.length));
  }
  attempts.sort((one, other) => one.start - other.start);
  return { attempts, calls, notes };
}

function attemptOf({ id, created_at, data }: Log): LoggedAttempt {
  const latency_ms = numberOf(data["latency_ms"]) ?? 0;
  const error = objectOf(data["error"]);
  return {
    id,
    place: { under: textOf(data["under"]), step: numberOf(data["step"]) ?? 0 },
    start: created_at,
    end: created_at + latency_ms * 1000,
    attempt: numberOf(data["attempt"]) ?? 1,
    model: textOf(data["model"]) ?? "",
    provider: textOf(data["provider"]),
    model_id: textOf(data["model_id"]),
    message_id: textOf(data["message_id"]),
    stop_reason: textOf(data["stop_reason"]),
    error: error === null ? null : { code: textOf(error["kind"]) ?? "api", message: textOf(error["message"]) ?? "" },
    usage: usageOf(data["usage"]),
    estimated: data["usage_estimated"] === true,
    cost: numberOf(data["cost"]),
    latency_ms,
    first_token_ms: numberOf(data["time_to_first_token_ms"]),
  };
}

function callOf({ id, created_at, data }: Log): LoggedCall {
  return {
    id,
    message_id: textOf(data["message_id"]),
    call_id: textOf(data["id"]) ?? id,
    name: textOf(data["name"]) ?? "",
    is_error: data["is_error"] === true,
    duration_ms: numberOf(data["duration_ms"]),
    start: numberOf(data["at"]) ?? created_at,
    stack: textOf(data["stack"]),
  };
}

const noteNames: Readonly<Record<string, string>> = {
  hook: "Hook",
  error: "Error",
  recovery: "Resumed after an interruption",
};

function noteOf({ id, type, created_at, data }: Log): LoggedNote {
  const words = [data["hook"], data["what"], data["message"], data["error"], data["cause"]].map(textOf);
  const aside = words.filter((word) => word !== null).join(": ");
  const failed = type === "error" || (type === "hook" && data["error"] !== undefined);
  return { id, at: created_at, name: noteNames[type] ?? type, aside: aside === "" ? null : aside, failed, data };
}

function warningOf({ id, created_at }: Log, words: Json, number: number): LoggedNote {
  const aside = textOf(words) ?? JSON.stringify(words);
  return { id: `${id}!${number}`, at: created_at, name: "Warning", aside, failed: true, data: { warning: words } };
}

/** Token counts, if the value has that form. */
function usageOf(value: Json | undefined): Usage | null {
  const object = objectOf(value);
  if (object === null) return null;
  const count = (name: string): number => numberOf(object[name]) ?? 0;
  return {
    input: count("input"),
    output: count("output"),
    cache_read: count("cache_read"),
    cache_write: count("cache_write"),
    total_tokens: count("total_tokens"),
  };
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}
