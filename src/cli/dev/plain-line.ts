// Converts the Worker's JSON log lines to plain text: one line for each run, red with the cause if it failed. A deployment logs the
// same lines as JSON.

import { fieldsOf } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { readWorkerLine } from "./worker-line.ts";

// Colour codes of a terminal. They begin with a control character, which a regular expression literal may not contain.
const sgr = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
const colours = { red: 31, yellow: 33 };

/** A log line of the Worker. Each event has some of the fields. */
interface LogEntry {
  event: string;
  level?: string;
  thread_id?: string | null;
  message?: string;
  cause?: string;
  reason?: string;
  variable?: string;
  tool?: string;
  stack?: string;
  method?: string;
  path?: string;
  reference?: string;
}

/** The log line of a run that ended or waits. */
interface RunEntry {
  event: "run_end" | "run_rest";
  agent: string;
  status: string;
  reason: string;
  error?: { status?: number; message?: string };
  steps: number;
  ms: number;
  usage: { input: number; output: number; cache_read: number; cache_write: number };
  cost: number | null;
  thread_id: string;
}

interface ReadableLine {
  tone: "red" | "yellow" | null;
  text: string;
}

/** The readable form of a log line; every other line unchanged. */
export function plainLine(line: string, coloured: boolean): string {
  const entry = readLogEntry(line);
  if (entry === null) return line;
  const { tone, text } = isRunEntry(entry) ? formatRun(entry) : formatEntry(entry);
  return coloured && tone !== null ? `\u001b[${String(colours[tone])}m${text}\u001b[39;22m` : text;
}

/** The JSON of a line, with or without the mark that wrangler puts before errors and warnings. */
function readLogEntry(line: string): LogEntry | RunEntry | null {
  const text = /^(?:[✘▲] \[(?:ERROR|WARNING)\] )?(\{.*\})\s*$/u.exec(line.replace(sgr, ""))?.[1];
  if (text === undefined) return null;
  const entry = readWorkerLine(text) as (LogEntry & Fields) | RunEntry | null;
  return entry !== null && isWorkerEntry(entry) ? entry : null;
}

/** Whether the Worker wrote the entry; a tool may log other JSON. */
function isWorkerEntry(entry: (LogEntry & Fields) | RunEntry): boolean {
  if (isRunEntry(entry)) return isWholeRun(entry);
  const { event, cause, level, message } = entry;
  if (event === "tool_failed") return true;
  if (event === "internal_error") return hasTexts(entry["error"], ["name", "message"]);
  return (
    typeof event === "string" && (typeof cause === "string" || (typeof level === "string" && message !== undefined))
  );
}

/** Whether the fields of a run's line that are no texts have their types. */
function isWholeRun({ agent, status, reason, thread_id, error, steps, ms, usage, cost }: RunEntry): boolean {
  const { input, output, cache_read, cache_write } = fieldsOf(usage);
  const numbers: unknown[] = [steps, ms, cost ?? 0, input, output, cache_read, cache_write];
  const texts: unknown[] = [agent, status, thread_id, reason ?? ""];
  const { status: http } = fieldsOf(error);
  return (
    numbers.every((value) => typeof value === "number") &&
    texts.every((value) => typeof value === "string") &&
    (http === undefined || typeof http === "number") &&
    hasTexts(error, ["message"])
  );
}

/** Whether the fields with these names, if a value has them, are texts. */
function hasTexts(value: unknown, names: readonly string[]): boolean {
  const fields = fieldsOf(value);
  return names.every((name) => fields[name] == null || typeof fields[name] === "string");
}

const isRunEntry = (entry: LogEntry | RunEntry): entry is RunEntry =>
  entry.event === "run_end" || entry.event === "run_rest";

function formatEntry(entry: LogEntry): ReadableLine {
  const { event, thread_id: thread } = entry;
  const where = thread === undefined || thread === null ? "" : ` (thread ${thread})`;
  if (event === "tool_failed") {
    const message = firstLine(entry.message);
    return { tone: "red", text: `tool ${entry.tool ?? ""} threw ${message}${findFrame(entry.stack)}${where}` };
  }
  if (event === "internal_error") {
    const { name, message } = (entry as { error?: { name?: string; message?: string } }).error ?? {};
    const { method, path, reference } = entry;
    return { tone: "red", text: `${method} ${path} broke: ${name}: ${message} (${reference})` };
  }
  const cause = entry.message ?? entry.cause ?? entry.reason ?? JSON.stringify(entry);
  const variable = entry.variable === undefined ? "" : ` ${entry.variable}:`;
  const tone = entry.level === "warning" ? "yellow" : "red";
  return { tone, text: `${event}${variable} ${firstLine(cause)}${where}` };
}

function formatRun({ event, agent, status, reason, error, steps, ms, usage, cost, thread_id }: RunEntry): ReadableLine {
  const used = [
    `${String(steps)} ${steps === 1 ? "step" : "steps"}`,
    `${String(usage.input + usage.cache_read + usage.cache_write)} tokens in, ${String(usage.output)} out`,
    ...(cost === null ? [] : [`$${String(cost)}`]),
    `${(ms / 1000).toFixed(1)} s`,
  ];
  const after = ` · ${used.join(" · ")} · thread ${thread_id}`;
  if (event === "run_rest") return { tone: null, text: `${agent} waits${after}` };
  if (status === "completed") return { tone: null, text: `${agent} completed${after}` };
  if (status !== "error") return { tone: "yellow", text: `${agent} ended: ${status} (${reason})${after}` };
  const http = error?.status === undefined ? "" : `HTTP ${String(error.status)} `;
  return { tone: "red", text: `${agent} failed (${reason}): ${http}${firstLine(error?.message)}${after}` };
}

function firstLine(text: string | undefined): string {
  return String(text ?? "").split("\n", 1)[0] ?? "";
}

/** The first position in a stack that is in the project's own files. */
function findFrame(stack: string | undefined): string {
  const frame = String(stack ?? "")
    .split("\n")
    .find((text) => /^\s+at /.test(text) && !text.includes("node_modules"));
  return frame === undefined ? "" : ` ${frame.trim()}`;
}
