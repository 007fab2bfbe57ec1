// Converts the events of the core's loop to those of the document (architecture §6). It is the only place where answers, calls and their
// updates become events; the hooks of the loop emit the others. Invariants: each message has one start and one end; an answer that is
// retried ends with the stop reason `error`, and is in no list of messages.

import type { PlainEvent } from "#contract/event.ts";
import type { MessageRecord } from "#core/record/record.ts";

import { StreamedAnswer } from "./answer-so-far.ts";
import type { CallUpdate, ToolCalls } from "./loop-calls.ts";
import type { AgentEvent } from "./loop-event.ts";
import type { AssistantMessage } from "./loop-messages.ts";
import { zeroTokens } from "./loop-messages.ts";
import type { ToolResult } from "./loop-tool.ts";
import { answerOf } from "./message-codec.ts";

interface ProjectorParts {
  loop_id: string;
  model_id: string;
  provider_id: string;
  emit: (event: AgentEvent) => void;
  /** The stored record of a message; undefined if there is none. */
  recordOf: (id: string) => MessageRecord | undefined;
  calls: ToolCalls;
  now: () => number;
}

/** Projects the events of one loop. */
export class EventProjector {
  readonly #parts: ProjectorParts;
  #answer: StreamedAnswer | null = null;
  /** An answer that was retracted and whose end has not been emitted. */
  #retracted: AssistantMessage | null = null;
  /** Whether the answer of the turn was shown to its end. */
  hasAnswered = false;
  /** The ids of calls that a hook skipped. They show no start and no end. */
  readonly #skipped = new Set<string>();

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
  }

  beginTurn(): void {
    this.hasAnswered = false;
    this.#skipped.clear();
  }

  /** Hides a call that a hook skips. */
  skip(callId: string): void {
    this.#skipped.add(callId);
  }

  isSkipped(callId: string): boolean {
    return this.#skipped.has(callId);
  }

  /** A message without content: the beginning of an answer, or an answer that failed before it began. */
  blankAnswer(of: Partial<AssistantMessage> = {}): AssistantMessage {
    const { model_id: model, provider_id: provider, now } = this.#parts;
    const usage = zeroTokens();
    return { role: "assistant", content: [], stop_reason: "stop", model, provider, usage, timestamp: now(), ...of };
  }

  take(event: PlainEvent): void {
    const { loop_id, emit, calls } = this.#parts;
    switch (event.type) {
      case "message_start":
        if (event.role !== "assistant") return;
        this.#answer = new StreamedAnswer(this.blankAnswer());
        emit({ type: "MessageStart", loop_id, message: this.#answer.message });
        return;
      case "toolcall_start":
        this.#answer?.beginCall(event.index, { id: event.tool_call.id, name: event.tool_call.name });
        return;
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta": {
        if (this.#answer === null) return;
        const kind = event.type === "text_delta" ? "text" : event.type === "thinking_delta" ? "thinking" : "toolcall";
        const delta = this.#answer.add(kind, event.index, event.delta);
        emit({ type: "MessageUpdate", loop_id, message: this.#answer.message, delta });
        return;
      }
      case "message_end":
        return this.#endAnswer(event.message.id);
      case "message_retracted":
        this.#retracted = this.#answer?.message ?? null;
        this.#answer = null;
        return;
      case "model_retry":
      case "model_fallback": {
        if (this.#retracted === null) return;
        const message = { ...this.#retracted, stop_reason: "error" as const, error_message: event.error.message };
        this.#retracted = null;
        emit({ type: "MessageEnd", loop_id, message });
        return;
      }
      case "tool_execution_start": {
        const { tool_call_id, tool_name, args } = event;
        if (this.#skipped.has(tool_call_id)) return;
        emit({ type: "ToolExecutionStart", loop_id, tool_call_id, tool_name, args });
        return;
      }
      case "tool_execution_delta": {
        const { tool_call_id, tool_name, progress } = event;
        const update = progress as CallUpdate | undefined;
        if (update === undefined) return;
        if ("progress" in update)
          emit({ type: "ProgressMessage", loop_id, tool_call_id, tool_name, text: update.progress });
        else emit({ type: "ToolExecutionUpdate", loop_id, tool_call_id, tool_name, partial_result: update.partial });
        return;
      }
      case "tool_execution_end": {
        const { tool_call_id, tool_name, is_error } = event;
        if (this.#skipped.has(tool_call_id)) return;
        const result: ToolResult = calls.resultOf(tool_call_id, event.result);
        const { child_loop_id = null } = result;
        emit({ type: "ToolExecutionEnd", loop_id, tool_call_id, tool_name, result, is_error, child_loop_id });
        return;
      }
      default:
    }
  }

  #endAnswer(id: string): void {
    const { loop_id, emit, recordOf } = this.#parts;
    const record = recordOf(id);
    if (record?.role !== "assistant") return;
    this.#answer = null;
    this.hasAnswered = true;
    emit({ type: "MessageEnd", loop_id, message: answerOf(record, this.#parts) });
  }
}
