// Structured lines in the Worker's log: one for each run, and one for each tool that threw. No content of the conversation; the
// messages of errors are there, without secrets.

import type { Json, JsonObject } from "#contract/json.ts";
import type { Halt } from "#core/loop.ts";
import type { LogRecord, RunRecord } from "#core/record.ts";
import type { MeterReading } from "#store/meter.ts";

import type { ObjectContext } from "../object-context.ts";

/** Characters of an error's message, and of a stack, that a line has. */
const longest = 2000;

/** Writes the line of a run: what ran, how it ended, what it cost in tokens and rows, and what made it fail. */
export function logRunLine(
  context: ObjectContext,
  run: RunRecord,
  { halt, rows }: { halt: Halt; rows: MeterReading },
): void {
  const { live, clock } = context;
  const error = halt.type === "end" ? halt.end.error : undefined;
  const line = {
    event: halt.type === "end" ? "run_end" : "run_rest",
    thread_id: live.record.id,
    run_id: run.id,
    agent: run.agent_id,
    version: run.version,
    status: halt.type === "end" ? halt.end.status : "resting",
    reason: halt.type === "end" ? halt.end.reason : null,
    ...(error === undefined ? {} : { error: { ...cause(context, error), ...statusOf(context, run) } }),
    ms: Math.round((clock.now() - (run.started_at ?? run.created_at)) / 1000),
    steps: run.steps,
    usage: run.usage,
    cost: run.cost,
    rows_read: rows.rowsRead,
    rows_written: rows.rowsWritten,
  };
  console.log(JSON.stringify(line));
}

function cause({ settings }: ObjectContext, { code, message }: { code: string; message: string }) {
  return { code, message: settings.redact(message).slice(0, longest) };
}

/** The HTTP status that the last attempt of a model ended with, where it had one. */
function statusOf({ live }: ObjectContext, run: RunRecord): { status?: number } {
  const query = { runId: run.id, type: "llm_request", order: "desc", limit: 1 } as const;
  const error = live.store.logs(query)[0]?.data["error"];
  const status = isObject(error) ? error["status"] : null;
  return typeof status === "number" ? { status } : {};
}

/** Writes a line for each tool of a step's record that threw. What a tool answered itself is its model's alone. */
export function logToolFailures(context: ObjectContext, { run_id, data }: LogRecord): void {
  const tools = Array.isArray(data["tools"]) ? data["tools"] : [];
  for (const tool of tools) if (isObject(tool)) logToolFailure(context, { ...tool, run_id });
}

/** The same for one call. */
export function logToolFailure({ live, settings }: ObjectContext, call: JsonObject): void {
  const { stack, name, id, run_id } = call;
  if (call["is_error"] !== true || typeof stack !== "string") return;
  const clean = settings.redact(stack);
  const line = {
    event: "tool_failed",
    thread_id: live.record.id,
    run_id: run_id ?? null,
    tool: name ?? null,
    call_id: id ?? null,
    message: clean.split("\n    at ", 1)[0]?.slice(0, longest),
    stack: clean.slice(0, longest),
  };
  console.error(JSON.stringify(line));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
