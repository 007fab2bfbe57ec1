// Writes structured lines to the Worker's log: one when a run is suspended or ends, and one for each tool call that threw. The command `dev`
// requests further lines while a tool's function runs. The lines contain no content of the conversation. They contain messages of errors,
// without secrets.

import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { Halt } from "#core/loop.ts";
import type { LogRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import type { Definitions } from "#flow/setup/project-definitions.ts";
import type { MeterReading } from "#store/meter.ts";

import type { Deployment } from "../deployment.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import type { RunTraces } from "../trace/run-traces.ts";

/** The maximum number of characters of an error's message, and of its stack, in a line. */
const longest = 2000;

/** A thread with the traces of its runs; null if the deployment exports none. */
export interface TracedThread extends DeployedThread {
  traces: RunTraces | null;
}

/** Writes the line of a run: its agent, its end, its tokens and rows, and the cause of a failure. */
export function logRunLine(
  context: TracedThread,
  run: RunRecord,
  { halt, rows }: { halt: Halt; rows: MeterReading },
): void {
  const { live } = context;
  const { clock, log } = context.deployment;
  const error = halt.type === "end" ? halt.end.error : undefined;
  const failed = halt.type === "end" && halt.end.status === "error";
  log(failed ? "error" : "info", halt.type === "end" ? "run_end" : "run_rest", {
    thread_id: live.record.id,
    run_id: run.id,
    ...context.traces?.lineField(run),
    agent: run.agent_id,
    version: run.version,
    status: halt.type === "end" ? halt.end.status : "suspended",
    reason: halt.type === "end" ? halt.end.reason : null,
    ...(error === undefined ? {} : { error: { ...cause(context.deployment, error), ...statusOf(live, run) } }),
    ms: Math.round((clock.now() - (run.started_at ?? run.created_at)) / 1000),
    steps: run.steps,
    usage: run.usage,
    cost: run.cost,
    rows_read: rows.rowsRead,
    rows_written: rows.rowsWritten,
  });
}

function cause({ settings }: Deployment, { code, message }: { code: string; message: string }) {
  return { code, message: settings.redact(message).slice(0, longest) };
}

/** The HTTP status of the last model attempt, if there was a response. */
function statusOf(live: LiveThread, run: RunRecord): { status?: number } {
  const query = { runId: run.id, type: "llm_request", order: "desc", limit: 1 } as const;
  const error = live.store.logs(query)[0]?.data["error"];
  const status = isJsonObject(error) ? error["status"] : null;
  return typeof status === "number" ? { status } : {};
}

/**
 * Writes a line for each tool call of a step that threw. An error that a tool returned is not logged, because it is meant for the model.
 */
export function logToolFailures(context: DeployedThread, { run_id, data }: LogRecord): void {
  const tools = Array.isArray(data["tools"]) ? data["tools"] : [];
  for (const tool of tools) if (isJsonObject(tool)) logToolFailure(context, { ...tool, run_id });
}

/** Writes the line of one tool call that threw. */
export function logToolFailure({ live, deployment: { settings, log } }: DeployedThread, call: JsonObject): void {
  const { stack, name, id, run_id } = call;
  if (call["is_error"] !== true || typeof stack !== "string") return;
  const clean = settings.redact(stack);
  log("error", "tool_failed", {
    thread_id: live.record.id,
    run_id: run_id ?? null,
    tool: name ?? null,
    call_id: id ?? null,
    message: clean.split("\n    at ", 1)[0]?.slice(0, longest),
    stack: clean.slice(0, longest),
  });
}

/** Milliseconds between two lines of a tool's function that runs. */
const aliveMs = 1000;
/** The maximum number of these lines of a call, because some functions never end. */
const maxAlive = 3600;

/** The parts of a thread that name a tool call in the log. */
interface ToolCallContext {
  deployment: Pick<Deployment, "log"> & {
    settings: Pick<Deployment["settings"], "logToolCalls">;
    clock: Pick<Deployment["clock"], "after">;
  };
  live: { record: Pick<LiveThread["record"], "id"> };
  definitions: Pick<Definitions, "toolFile">;
}

/**
 * Writes a line before a tool's function is called, one each second while it runs, and one when it has ended. The lines each second are
 * missing while the function, or other code of the same process, does not give control back. Undefined if calls are not logged.
 */
export function toolCallLines({
  live,
  definitions,
  deployment: { settings, clock, log },
}: ToolCallContext): ((name: string, callId: string) => () => void) | undefined {
  if (settings.logToolCalls !== true) return undefined;
  return (tool, call_id) => {
    const call = { thread_id: live.record.id, call_id, tool, file: definitions.toolFile(tool) ?? null };
    let [cancel, lines] = [(): void => {}, 0];
    const report = (): void => {
      lines += 1;
      log("info", lines > maxAlive ? "tool_ended" : "tool_runs", call);
      if (lines <= maxAlive) cancel = clock.after(aliveMs, report);
    };
    report();
    return () => {
      cancel();
      log("info", "tool_ended", call);
    };
  };
}
