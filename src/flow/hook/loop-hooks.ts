// The project's hooks of runs, steps and tool calls, as members of the loop's port. A member is present only if the project has the hook, so
// that the loop of another project awaits nothing.

import { jsonObjectSchema } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type {
  CallDecision,
  CallUpdate,
  HookStep,
  HookStepEnd,
  LoopHooks,
  StartingCall,
} from "#core/ports/hook-port.ts";
import { longestMessage } from "#core/record/message-draft.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import { isObject } from "#lib/json-value.ts";
import type { AnyHookName, HookRunEnd, HookToolUpdate, HookTurn, HookTurnEnd } from "#spec/index.ts";

import type { HookCaller } from "./hook-caller.ts";
import { hookResult, hookToolCall, specMessage } from "./hook-message.ts";

/** The hooks of a loop, and those of the run that executes it. */
export type ProjectLoopHooks = Pick<
  LoopHooks,
  "beforeStep" | "afterStep" | "failed" | "beforeCall" | "updates" | "afterCall"
> & {
  /** Called before the run's first step. If it returns false, the run ends with the status `stopped`. */
  beforeRun: ((runId: string) => Promise<boolean>) | undefined;
  /** Called when the run ends with an error, before its end is stored. `failed` may have reported the same error for a step. */
  failedRun: LoopHooks["failed"];
  /** Called after the run's end was stored and sent. */
  afterRun: ((run: RunRecord) => Promise<void>) | undefined;
};

/** Makes the hooks that the project has. */
export function loopHooks(caller: HookCaller): ProjectLoopHooks {
  const has = (name: AnyHookName) => caller.has(name);
  const failed = has("on_error") ? failureHook(caller) : undefined;
  return {
    beforeRun: has("before_loop") ? (runId) => caller.permits("before_loop", { runId }) : undefined,
    afterRun: has("after_loop") ? (run) => caller.notify("after_loop", runEnd(run)) : undefined,
    beforeStep: has("before_turn") ? (step) => caller.permits("before_turn", hookTurn(step)) : undefined,
    afterStep: has("after_turn") ? (step) => caller.notify("after_turn", turnEnd(step)) : undefined,
    failed,
    failedRun: failed,
    beforeCall: has("before_tool_execution") ? (call) => decide(caller, call) : undefined,
    updates:
      has("before_tool_execution_update") || has("after_tool_execution_update") ? () => updateHook(caller) : undefined,
    afterCall: has("after_tool_execution")
      ? (call, result) => caller.notify("after_tool_execution", hookToolCall(call), hookResult(result))
      : undefined,
  };
}

/** Reports each failure of a run once: a failed step of the main loop also ends the run. */
function failureHook(caller: HookCaller): NonNullable<LoopHooks["failed"]> {
  let reported: string | undefined;
  return async ({ code, message }, step) => {
    const failure = JSON.stringify([code, message]);
    if (step.depth === 0 && failure === reported) return;
    if (step.depth === 0) reported = failure;
    await caller.notify("on_error", { ...hookTurn(step), code, message });
  };
}

function hookTurn({ run_id, step, depth }: HookStep): HookTurn {
  return { runId: run_id, step, depth };
}

function turnEnd({ status, answer, results, ...step }: HookStepEnd): HookTurnEnd {
  return { ...hookTurn(step), status, messages: answer === null ? [] : [answer, ...results].map(specMessage) };
}

function runEnd({ id, status, reason, usage, cost }: RunRecord): HookRunEnd {
  return { runId: id, status: status as HookRunEnd["status"], reason, totalTokens: usage.total_tokens, cost };
}

/** Calls the hooks in order, each with the arguments that the one before returned, until one skips the call. */
async function decide(caller: HookCaller, call: StartingCall): Promise<CallDecision> {
  let args: JsonObject | undefined;
  for (const file of caller.files("before_tool_execution")) {
    const current: StartingCall = args === undefined ? call : { ...call, arguments: JSON.stringify(args) };
    const answer: unknown = await caller.call(file, [hookToolCall(current)]);
    if (answer === false) return { type: "skip" };
    if (answer === undefined || answer === null || answer === true) continue;
    const changed: JsonObject | null | undefined = isObject(answer)
      ? caller.readOrReport(file, () => jsonArguments(answer["arguments"]))
      : undefined;
    if (changed === undefined) {
      caller.report(file, "returned a value other than true, false and an object with arguments, which was ignored");
    } else if (changed !== null && !call.canChangeArguments) {
      caller.report(
        file,
        `cannot change the arguments of ${call.name}: a client runs the call, or a person may have to approve it`,
      );
    } else if (changed !== null) {
      args = changed;
    }
  }
  return { type: "run", args };
}

/** The arguments as plain JSON; undefined for anything but an object that fits a row. Throws for a circular value. */
function jsonArguments(value: unknown): JsonObject | undefined {
  const json = jsonObjectSchema.safeParse(JSON.parse(JSON.stringify(value ?? null))).data;
  return json === undefined || jsonBytes(json) > longestMessage ? undefined : json;
}

async function updateHook(caller: HookCaller): ReturnType<NonNullable<LoopHooks["updates"]>> {
  const before = await caller.loadSynchronous("before_tool_execution_update");
  const after = await caller.loadSynchronous("after_tool_execution_update");
  return (update, emit) => {
    if (before.some((hook) => hook(hookUpdate(update)) === false)) return;
    emit();
    for (const hook of after) hook(hookUpdate(update));
  };
}

function hookUpdate({ id, name, ...update }: CallUpdate): HookToolUpdate {
  return { toolCallId: id, toolName: name, ...structuredClone(update) };
}
