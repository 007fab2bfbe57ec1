// The hooks of the core's loop for one loop of a program: they emit what belongs to a turn, and call the program's hooks in the order of the
// document (architecture §6). Invariants: each `TurnStart` has one `TurnEnd`; a call that a hook skips shows only its result.

import type { HookStepEnd, LoopHooks } from "#core/ports/hook-port.ts";
import { parseJson } from "#lib/json-value.ts";

import type { EventProjector } from "./event-projector.ts";
import type { HookCalls } from "./hook-calls.ts";
import type { CallUpdate, ToolCalls } from "./loop-calls.ts";
import type { AgentLoopConfig } from "./loop-config.ts";
import type { TurnTrigger } from "./loop-event.ts";
import type { LoopInput } from "./loop-input.ts";
import { textOfContent } from "./loop-messages.ts";
import type { AssistantMessage, ToolResultMessage } from "./loop-messages.ts";
import type { LoopModels } from "./loop-models.ts";
import type { LoopTranscript } from "./loop-transcript.ts";
import { answerOf } from "./message-codec.ts";

interface TurnParts {
  config: AgentLoopConfig;
  models: LoopModels;
  transcript: LoopTranscript;
  input: LoopInput;
  calls: ToolCalls;
  hooks: HookCalls;
  /** Receives the tokens of each turn. */
  onTurn: (tokens: number) => void;
}

/** The turns of one loop. They are numbered through a repetition after an overflow. */
export class TurnHooks {
  readonly #parts: TurnParts;
  #turn = 0;
  /** The results of the current turn by the id of the call, and their number. */
  readonly #results = new Map<string, ToolResultMessage>();
  #settled = 0;
  /** The message of an answer that ended before it began. */
  #unanswered: AssistantMessage | null = null;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** The hooks of one execution of the core's loop. */
  hooks(projector: EventProjector): Partial<LoopHooks> {
    const { config, hooks, transcript, calls } = this.#parts;
    return {
      beforeStep: () => this.#begin(projector),
      failed: async ({ message: error_message }) => {
        this.#answerFailed(projector, { stop_reason: "error", error_message });
        await hooks.call(() => config.onError?.(error_message), undefined);
      },
      afterStep: (end) => this.#end(end, projector),
      beforeCall: async ({ id, name, arguments: args }) => {
        const runs = await hooks.call(() => config.beforeToolExecution?.(name, id, parseJson(args)), true);
        if (!runs) projector.skip(id);
        return { type: runs ? "run" : "skip" };
      },
      updates: () => Promise.resolve((update, show) => this.#update(update, show)),
      afterCall: async ({ id, name }, { status, error }) => {
        const is_error = status === "error";
        if (!projector.isSkipped(id))
          await hooks.call(() => config.afterToolExecution?.(name, id, is_error), undefined);
        const { content } = calls.resultOf(id, { status, error });
        const of = { tool_call_id: id, tool_name: name, content, is_error };
        const message: ToolResultMessage = { role: "toolResult", ...of, timestamp: Date.now() };
        transcript.show(message);
        this.#results.set(id, message);
        this.#settled += 1;
        const size = groupSize(config);
        if (size !== null && this.#settled % size === 0) await this.#poll();
      },
    };
  }

  async #begin(projector: EventProjector): Promise<boolean> {
    const { config, hooks, transcript, input, calls } = this.#parts;
    const { messages } = transcript.context;
    const goesOn = await hooks.call(() => config.beforeTurn?.(messages, this.#turn), true);
    if (!goesOn || hooks.hasThrown) return false;
    const triggered_by = this.#trigger();
    const { loopId: loop_id } = transcript;
    transcript.emit({ type: "TurnStart", loop_id, turn_index: this.#turn, timestamp: now(), triggered_by });
    transcript.showPrompts();
    transcript.append(input.takeJoined());
    projector.beginTurn();
    calls.clear();
    this.#results.clear();
    this.#settled = 0;
    this.#unanswered = null;
    return true;
  }

  /** Ends the turn: appends its messages in the order of the document, and emits its end. */
  async #end({ answer, results, status }: HookStepEnd, projector: EventProjector): Promise<void> {
    const { config, models, transcript, hooks, onTurn } = this.#parts;
    if (answer === null) this.#answerFailed(projector, { stop_reason: "aborted" });
    const ids = { model_id: models.model.model, provider_id: models.provider_id };
    const message = answer === null ? (this.#unanswered ?? projector.blankAnswer()) : answerOf(answer, ids);
    const tool_results = results.flatMap(({ tool_call_id }) => this.#results.get(tool_call_id ?? "") ?? []);
    transcript.keep([message, ...tool_results]);
    transcript.count(message);
    const { usage } = message;
    onTurn(usage.total_tokens);
    // The core reports a failed request to the hook `failed`. A refusal is an answer for it, and an error for the document.
    const refusal = answer?.stop_reason === "content_filter" ? (message.error_message ?? "") : null;
    if (refusal !== null) await hooks.call(() => config.onError?.(refusal), undefined);
    const { loopId: loop_id } = transcript;
    transcript.emit({ type: "TurnEnd", loop_id, message, usage, timestamp: now(), tool_results });
    this.#turn += 1;
    await hooks.call(() => config.afterTurn?.(transcript.context.messages, usage), undefined);
    if (status === "completed") await this.#poll();
  }

  /** Shows the message of an answer that ended before it began. */
  #answerFailed(projector: EventProjector, of: Partial<AssistantMessage>): void {
    if (this.#unanswered !== null || projector.hasAnswered) return;
    this.#unanswered = projector.blankAnswer(of);
    this.#parts.transcript.show(this.#unanswered);
  }

  #update(update: { id: string; name: string } & ({ delta: string } | { progress: unknown }), show: () => void): void {
    const { config, hooks } = this.#parts;
    const call = "progress" in update ? (update.progress as CallUpdate) : null;
    if (call === null || !("partial" in call)) return show();
    const text = textOfContent(call.partial.content);
    const { id, name } = update;
    if (!hooks.callNow("beforeToolExecutionUpdate", () => config.beforeToolExecutionUpdate?.(name, id, text), true))
      return;
    show();
    hooks.callNow<void>("afterToolExecutionUpdate", () => config.afterToolExecutionUpdate?.(name, id, text), undefined);
  }

  #trigger(): TurnTrigger {
    const { config, transcript } = this.#parts;
    const { continuation_kind: kind } = transcript.context;
    if (this.#turn > 0) return "Continuation";
    if (kind === undefined) return config.firstTurnTrigger ?? "User";
    return typeof kind === "object" && "Branch" in kind ? "Branch" : "Continuation";
  }

  #poll(): Promise<void> {
    const { hooks, input } = this.#parts;
    return hooks.guard<void>(() => input.poll("steering"), undefined);
  }
}

/** The number of calls after which the queue of steering is read; null if it is read after all of them. */
function groupSize({ toolExecution = "Parallel" }: AgentLoopConfig): number | null {
  if (toolExecution === "Parallel") return null;
  return toolExecution === "Sequential" ? 1 : toolExecution.Batched.size;
}

function now(): string {
  return new Date().toISOString();
}
