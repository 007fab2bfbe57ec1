// Tool calls that definitions and clients make (Standard Agents; decision 13: queueTool, invokeTool).

import { refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { fitLog } from "#core/record/fit-log.ts";
import { remoteCallNeedsRun, approvalNeedsRun, invalidArguments } from "#core/tools/error-results.ts";
import { executeTool } from "#core/tools/execute-tool.ts";
import { fitResult } from "#core/tools/read-result.ts";
import type { Definitions } from "#flow/setup/project-definitions.ts";
import type { DefinedSources } from "#flow/tool-source/defined-tools.ts";
import { resolveTools, withUnavailable } from "#flow/tool-source/tool-source.ts";
import { toolRunner } from "#flow/tool/tool-runner.ts";
import type { ExecutionState, ThreadState } from "#spec/index.ts";

import { threadAnswerFiles } from "../attachments/thread-answer-files.ts";
import type { DeployedThread } from "../live/live-thread.ts";
import type { DefinitionPlace, InvokedResult, ThreadCalls } from "../thread-ports.ts";
import { startRun } from "./admission.ts";
import { definitionAccess } from "./definition-access.ts";
import type { DefinitionContext } from "./definition-access.ts";
import type { Driver } from "./driver.ts";
import { logToolFailure, toolCallLines } from "./run-line.ts";
import { threadToolSources } from "./thread-tool-sources.ts";
import type { SkillContext, ToolSourceContext } from "./thread-tool-sources.ts";
import { newRun } from "./write-run.ts";

/** The maximum number of queued calls of a run. */
const queueLimit = 100;

/** The parts of a thread that make the tool calls of its definitions and clients. */
interface CallContext extends DefinitionContext, ToolSourceContext {
  driver: Driver;
  background: (work: Promise<unknown>) => void;
}

/** Creates the functions that queue and invoke tool calls of a thread. `context` is called again for each tool call. */
export function threadCalls(context: () => CallContext): ThreadCalls {
  return {
    queue: (name, args) => queueCall(context(), { name, args }),
    invoke: (name, args, place) => invoke(context(), { name, args, place }),
  };
}

/**
 * Queues a tool call for the active run; if no run is active, starts a run for it. The call survives a crash: when this function returns,
 * the run's row contains the call, and keeps it until it is made.
 */
function queueCall(context: CallContext, { name, args }: { name: string; args: JsonObject }): void {
  const { live, definitions, driver } = context;
  if (!definitions.isCallable(name)) throw unknown(context, name);
  const call = { id: `call_${crypto.randomUUID()}`, name, arguments: args };
  const active = driver.activeRun;
  if (active === null) {
    const run = newRun(context, { kind: "tool", limits: null, input: null, waiting: { calls: [call] } });
    startRun(context, run);
    return;
  }
  const calls = active.progress.calls ?? [];
  if (calls.length >= queueLimit) throw refuse("conflict", `${queueLimit} calls wait already; at most so many may.`);
  active.progress.calls = [...calls, call];
  live.store.updateRun(active);
}

function unknown({ definitions }: { definitions: Definitions }, name: string) {
  const known = definitions.names("tools").join(", ") || "none";
  return refuse("tool_not_found", `There is no tool named "${name}". Defined: ${known}.`);
}

/** Runs a tool's function, writes a log row, and returns the result. */
async function invoke(
  context: CallContext,
  { name, args, place }: { name: string; args: JsonObject; place: DefinitionPlace | null },
): Promise<InvokedResult> {
  const { definitions, live } = context;
  const { clock, faults } = context.deployment;
  if (!definitions.isCallable(name)) throw unknown(context, name);
  const isOther = definitions.has("prompts", name) || definitions.has("agents", name);
  if (isOther && !definitions.has("tools", name)) {
    throw refuse("conflict", `"${name}" runs a loop of its own, which only a run can hold. Use queueTool for it.`);
  }
  const id = `call_${live.uuids.next()}`;
  const { state, hooks } = definitionAccess(
    context,
    place?.execution == null ? restPlace(id, place?.depth ?? 0) : place,
  );
  await faults.at("invoke.tool");
  const signal = state.execution?.abortSignal;
  const sources = threadToolSources(context, { signal });
  const begun = clock.now();
  let answer: ToolAnswer;
  try {
    await faults.at("invoke.runner");
    const runner = await runnerOf(context, name, { state, sources });
    await faults.at("invoke.call");
    answer = await call(runner, { id, args, signal, context });
  } finally {
    context.background(sources.close());
  }
  const hookCall = { id, name, arguments: JSON.stringify(args) };
  await faults.at("invoke.after-call");
  const after = await hooks.afterToolCall(hookCall, answer);
  await faults.at("invoke.keep-files");
  const kept = await threadAnswerFiles(context).keep(after, { message_id: id, name, signal });
  // As for the tool calls of a model, the hook runs before the result is stored. Here the log row stores the result.
  await faults.at("invoke.before-store");
  const { value, ...final } = await hooks.beforeStoreToolResult(hookCall, kept);
  const result = fitResult(final);
  const { stack, ...shown } = result;
  live.store.insertLog(
    fitLog({
      id: live.uuids.next(),
      type: "tool_call",
      run_id: live.record.active_run_id,
      parent_id: null,
      depth: 0,
      created_at: begun,
      data: {
        what: "invoked",
        id,
        name,
        arguments: args,
        result: { ...shown } as JsonObject,
        is_error: result.status === "error",
        duration_ms: (clock.now() - begun) / 1000,
        ...(stack === undefined ? {} : { stack }),
      },
      events: [],
    }),
  );
  const failed = { id, name, is_error: result.status === "error", run_id: live.record.active_run_id };
  logToolFailure(context, { ...failed, ...(stack === undefined ? {} : { stack }) });
  // A client receives JSON, which has no place for the value.
  return { ...invokedResult(result), ...(value === undefined || place === null ? {} : { value }) };
}

/** Returns the runner of a tool. If a definition's list of tools cannot be requested, the result of the runner is an error. */
async function runnerOf(
  context: SkillContext,
  name: string,
  { state, sources: { sources } }: { state: ThreadState; sources: DefinedSources },
): Promise<ToolRunner> {
  const { definitions } = context;
  const { clock, faults } = context.deployment;
  if (definitions.has("tools", name)) {
    await faults.at("invoke.definition");
    return toolRunner(name, await definitions.tool(name), {
      state,
      faults,
      clock,
      redact: context.deployment.settings.redact,
      onCall: toolCallLines(context),
    });
  }
  await faults.at("invoke.source");
  const runner = withUnavailable(await resolveTools([name], sources)).get(name);
  if (runner === undefined) throw unknown(context, name);
  return runner;
}

/** The result without the fields that only the log row contains. */
function invokedResult({ status, result, error, attachments }: ReturnType<typeof fitResult>): InvokedResult {
  return {
    status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

async function call(
  runner: ToolRunner,
  work: { id: string; args: JsonObject; signal: AbortSignal | undefined; context: DeployedThread },
) {
  const { id, args, context } = work;
  const checked = runner.check(args);
  if (!checked.ok) return invalidArguments(checked.problem);
  if (runner.remote) return remoteCallNeedsRun(runner.spec.name);
  await context.deployment.faults.at("invoke.consent");
  if (await asksFirst(runner, checked.args)) return approvalNeedsRun(runner.spec.name);
  const environment = {
    clock: context.deployment.clock,
    faults: context.deployment.faults,
    // Events of a tool's progress belong to a message, and this call has none.
    emit: () => {},
    signal: work.signal ?? new AbortController().signal,
  };
  return executeTool(runner, { args: checked.args, call: { id, attempt: 1 }, message_id: id }, environment);
}

/** Whether the call needs an approval. If the tool's rule throws, it needs one. */
async function asksFirst({ approval }: ToolRunner, args: JsonObject): Promise<boolean> {
  if (approval === undefined) return false;
  return approval.needed(args).catch(() => true);
}

/** A `state.execution` for a tool that is invoked while no run is active. It has no steps and controls nothing. */
function restPlace(flowId: string, depth: number): DefinitionPlace {
  const execution: ExecutionState = {
    flowId,
    currentSide: "a",
    stepCount: 0,
    sideAStepCount: 0,
    sideBStepCount: 0,
    turnCount: 0,
    stopped: false,
    messageHistory: [],
    forceTurn: () => {},
    stop: () => {},
    abortSignal: new AbortController().signal,
  };
  return { execution, context: { current: {} }, depth };
}
