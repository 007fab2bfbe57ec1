// Runs a call of a turn: the functions of `ToolUseStrategy`, the approval and the tool. The loop's executor decides when a call runs, and
// stores its result as text. This file keeps the result as the tool returned it.

import type { JsonObject } from "#contract/json.ts";
import { runnerDefaults } from "#core/ports/tool-port.ts";
import type { CallContext, ToolPiece, ToolRunner } from "#core/ports/tool-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import type { StoredPart } from "#core/record/record.ts";
import { orderedByModel } from "#core/tools/model-order.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { isObject } from "#lib/json-value.ts";
import { losslessJson } from "#lib/lossless-json.ts";
import { systemClock } from "#lib/system-clock.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { blockResult, hasUrl } from "./content-part.ts";
import { declaredOrder } from "./tool-order.ts";
import type { TurnRequest } from "./turn-request.ts";
import { ErrorCode, refusal, UPPError } from "./upp-error.ts";
import type { RunTool, Tool, ToolExecution, ToolParams, ToolUseStrategy } from "./upp-tool.ts";

/** The outcome of a call: the result of its tool, or the error result of a call that did not run. */
type Outcome = Pick<ToolExecution, "result" | "isError" | "approved"> & {
  /** The result as JSON, for the message. */
  json: unknown;
};

/** The results of ended calls, which the conversion of a turn to messages uses. */
export type EndedCalls = Pick<ToolCalls, "execution" | "messageResult">;

/** The calls of one turn. */
export class ToolCalls {
  readonly #strategy: ToolUseStrategy;
  readonly #fail: (error: unknown) => void;
  readonly #runTool: RunTool;
  readonly #executions = new Map<string, ToolExecution>();
  readonly #results = new Map<string, unknown>();

  /** `fail` ends the turn. It is called with the exception of an approval or of a function of the strategy. */
  constructor(
    strategy: ToolUseStrategy,
    {
      fail,
      runTool = (tool, params, context) => tool.run(params, context),
    }: { fail: (error: unknown) => void; runTool?: RunTool | undefined },
  ) {
    this.#strategy = strategy;
    this.#fail = fail;
    this.#runTool = runTool;
  }

  /** Returns the execution of a call that has ended, also if the call was skipped or denied; undefined for any other call. */
  execution(toolCallId: string): ToolExecution | undefined {
    return this.#executions.get(toolCallId);
  }

  /**
   * Returns the result of an ended call as JSON, for its message. A copy, so that a later change of the value by the program changes no
   * message.
   */
  messageResult(toolCallId: string): unknown {
    return this.#results.get(toolCallId);
  }

  /** The runners of a request's tools, by name. */
  runners({ tools, modelOrder }: Pick<TurnRequest, "tools" | "modelOrder">): ReadonlyMap<string, ToolRunner> {
    const order = declaredOrder(tools);
    const runners = new Map(tools.map((tool) => [tool.name, this.#runner(tool, order.get(tool.name) ?? [])]));
    return modelOrder ? orderedByModel(runners) : runners;
  }

  #runner(tool: Tool, dependsOn: readonly string[]): ToolRunner {
    const { name, description, parameters, sequential = false } = tool;
    const take = (args: JsonObject, call: CallContext) => this.#answer(tool, args, call);
    return {
      ...runnerDefaults,
      spec: { name, description, parameters: parameters as JsonObject },
      sequential,
      dependsOn,
      timeoutMs: Infinity,
      // Arguments are not validated. A tool can validate them in `run`.
      check: (args) => ({ ok: true, args }),
      async *run(args, call): AsyncGenerator<ToolPiece> {
        yield { type: "result", result: await take(args, call) };
      },
    };
  }

  async #answer(tool: Tool, args: ToolParams, call: CallContext): Promise<ToolAnswer> {
    const started = systemClock.now();
    const execution = { toolName: tool.name, toolCallId: call.id, arguments: args };
    try {
      const { json, ...outcome } = await this.#run(tool, execution, call);
      const duration = (systemClock.now() - started) / 1000;
      // The result of an aborted call is ignored, so it is not an execution of the turn.
      if (!call.signal.aborted) {
        this.#executions.set(call.id, { ...execution, ...outcome, duration });
        this.#results.set(call.id, json);
      }
      return answerOf(json, outcome.isError);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Calls the functions that decide about the call, and the tool. Sets the arguments of `execution` to those of the tool. */
  async #run(tool: Tool, execution: { arguments: ToolParams }, { id, signal }: CallContext): Promise<Outcome> {
    const strategy = this.#strategy;
    if (signal.aborted) return failed("The request was aborted.");
    // A copy, because the functions may change the arguments, and the model's message has to keep those that the model sent.
    const sent = structuredClone(execution.arguments);
    await strategy.onToolCall?.(tool, sent);
    const { proceed, params = sent } = readDecision(tool, await strategy.onBeforeCall?.(tool, sent));
    if (!proceed) return failed(`The call of "${tool.name}" was skipped.`);
    execution.arguments = argumentsJSON(tool, params);
    // The tool, its approval and the record have copies of their own, so that nothing can change what was approved.
    const run = cloned(params);
    const approved = tool.approval === undefined ? undefined : readApproval(tool, await tool.approval(cloned(run)));
    if (approved === false) return { ...failed(`The call of "${tool.name}" was denied.`), approved };
    const known = approved === undefined ? {} : { approved };
    // The turn may have been aborted while the approval was awaited.
    if (signal.aborted) return { ...failed("The request was aborted."), ...known };
    let result: unknown;
    let json: unknown;
    try {
      result = await this.#runTool(tool, run, { toolCallId: id, signal });
      json = resultJSON(result);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(errorMessage(thrown));
      await strategy.onError?.(tool, run, error);
      return { ...failed(errorMessage(thrown)), ...known };
    }
    if (strategy.onAfterCall !== undefined) {
      const changed = await strategy.onAfterCall(tool, run, result);
      if (isObject(changed) && "result" in changed) ({ result } = changed);
      json = resultJSON(result);
    }
    return { result, json, isError: false, ...known };
  }
}

/** Reads what `onBeforeCall` returned. Throws INVALID_REQUEST for a value that is no decision. */
function readDecision(tool: Tool, decision: unknown): { proceed: boolean; params?: ToolParams } {
  if (decision === undefined) return { proceed: true };
  if (typeof decision === "boolean") return { proceed: decision };
  if (isObject(decision) && typeof decision["proceed"] === "boolean") return decision as { proceed: boolean };
  const given = errorMessage(JSON.stringify(decision) ?? typeof decision);
  throw refusal(
    `onBeforeCall for "${tool.name}" has to return a boolean or { proceed, params }; it returned ${given}.`,
  );
}

/** Reads what an approval returned. Throws INVALID_REQUEST for any value but a boolean, so that no call runs by mistake. */
function readApproval(tool: Tool, approved: unknown): boolean {
  if (typeof approved === "boolean") return approved;
  throw refusal(`The approval of "${tool.name}" has to return true or false; it returned ${typeof approved}.`);
}

function failed(result: string): Outcome {
  return { result, json: result, isError: true };
}

function answerOf(result: unknown, isError: boolean): ToolAnswer {
  const blocks = isError ? null : blockResult(result);
  if (blocks !== null) {
    const attachments = blocks.files.map((part) => {
      const { mime_type: mimeType, data, name = "" } = part as Extract<StoredPart, { type: "image" | "file" }>;
      return { mimeType, data, name };
    });
    return { status: "success", result: blocks.text, attachments };
  }
  const text = resultText(result);
  return isError ? { status: "error", error: text } : { status: "success", result: text };
}

/** The result as the model reads it: a text unchanged, any other value as JSON, an empty text for undefined. */
export function resultText(result: unknown): string {
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}

/** Copies the result as JSON, with bytes in base64. Throws for a result that cannot be sent to the model. */
function resultJSON(result: unknown): unknown {
  if (typeof result === "string") return result;
  const blocks = blockResult(result);
  if (hasUrl(blocks)) throw refusal("The result has an image or a document as a URL. Return its bytes.");
  if (blocks !== null) return blocks.json;
  try {
    return copyOf(losslessJson(result));
  } catch (thrown) {
    const message = `The result of the tool cannot be converted to JSON: ${errorMessage(thrown)}`;
    throw new UPPError(message, ErrorCode.InvalidRequest, "", "llm", undefined, thrown);
  }
}

/** Copies the arguments with which a tool runs as JSON, for its execution. Throws for arguments that are not JSON. */
function argumentsJSON(tool: Tool, params: ToolParams): ToolParams {
  try {
    return copyOf(JSON.stringify(params)) as ToolParams;
  } catch (thrown) {
    throw refusal(
      `The params that onBeforeCall returned for "${tool.name}" cannot be converted to JSON: ${errorMessage(thrown)}. Return JSON values.`,
    );
  }
}

/** Copies arguments. Those that `onBeforeCall` returned may contain values that cannot be copied, such as functions; they are shared. */
function cloned(params: ToolParams): ToolParams {
  try {
    return structuredClone(params);
  } catch {
    return params;
  }
}

/** Parses the JSON of a value; undefined for a value without JSON. */
function copyOf(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  const copy: unknown = parseOwnJson(json);
  if (isDeeper(copy, maxDepth)) throw new Error(`it is nested in more than ${maxDepth} levels`);
  return copy;
}

/** The maximum nesting of arguments and results. A state with deeper ones could be stored, and not be restored. */
const maxDepth = 400;

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}
