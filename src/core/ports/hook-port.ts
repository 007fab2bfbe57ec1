// The port of hooks: code that reads or changes the steps, messages and calls of a loop. The layer `flow` implements it for the hooks of a
// project. The loop calls and awaits an optional member only if the member is present.

import type { ToolResult } from "#contract/call-result.ts";
import type { Json, JsonObject } from "#contract/json.ts";

import type { ToolAnswer } from "../record/awaited.ts";
import type { MessageRecord } from "../record/record.ts";
import type { RunEnd } from "./strategy-port.ts";

/** A call as hooks receive it. */
export interface HookCall {
  id: string;
  name: string;
  /** JSON text, or what the model sent in its place. */
  arguments: string;
}

/** A step as hooks receive it. The depth of a run's main loop is 0. */
export interface HookStep {
  run_id: string;
  /** The number of the step in its loop, from 1. */
  step: number;
  depth: number;
}

/** The end of a step. */
export interface HookStepEnd extends HookStep {
  /** `completed`, or the status with which the loop ended in this step. */
  status: RunEnd["status"];
  /** The stored answer, which is partial after a stop or a failure; null if nothing was stored. */
  answer: MessageRecord | null;
  /** The tool messages of the answer's calls. */
  results: readonly MessageRecord[];
}

/** A call that is about to run, with checked arguments. */
export interface StartingCall extends HookCall {
  /**
   * False if a client runs the call, or if the tool may require an approval: a client and a person decide about the arguments that the
   * model sent.
   */
  canChangeArguments: boolean;
}

/** The decision about a call: it is skipped, or it runs, with `args` in place of its arguments. */
export type CallDecision = { type: "skip" } | { type: "run"; args?: JsonObject | undefined };

/** Progress of a running tool. */
export type CallUpdate = { id: string; name: string } & ({ delta: string } | { progress: Json });

/** Receives each update of a running tool. The update is emitted by `emit`; an update that is not emitted is hidden from clients. */
export type UpdateHook = (update: CallUpdate, emit: () => void) => void;

/**
 * The hooks of a loop (decision 25: order of hooks). Contract: never reject. If a hook throws, takes too long or returns an invalid value,
 * that is logged, and the original value is used. After a crash, a hook may be called again for the same step, message or call.
 */
export interface LoopHooks {
  /** Called before a step is prepared. If it returns false, the loop ends with the status `stopped`. */
  readonly beforeStep?: ((step: HookStep) => Promise<boolean>) | undefined;
  /**
   * Called after each step that `beforeStep` permitted, also after a stop or a failure. For a suspended step it is called when the resumed
   * step has ended.
   */
  readonly afterStep?: ((step: HookStepEnd) => Promise<void>) | undefined;
  /** Called when a step fails permanently, before its end is written. */
  readonly failed?: ((error: { code: string; message: string }, step: HookStep) => Promise<void>) | undefined;
  /** Called before a call starts. A skipped call gets an error result. Changed arguments are checked against the tool's schema. */
  readonly beforeCall?: ((call: StartingCall) => Promise<CallDecision>) | undefined;
  /** Returns the hook of updates for one call. That hook is synchronous, so that updates keep their order and cannot wait. */
  readonly updates?: (() => Promise<UpdateHook>) | undefined;
  /**
   * Called after the result of a call was stored and emitted. `value` is the value that the tool returned, if it returned one in this
   * process and no hook changed the result.
   */
  readonly afterCall?: ((call: HookCall, result: ToolResult, value?: unknown) => Promise<void>) | undefined;
  beforeCreateMessage(message: MessageRecord): Promise<MessageRecord>;
  afterCreateMessage(message: MessageRecord): Promise<void>;
  afterToolCall(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer>;
  beforeStoreToolResult(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer>;
}
