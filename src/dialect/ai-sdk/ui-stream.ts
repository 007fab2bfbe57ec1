// Converts the events of one run into a UI message stream (AI SDK UI, UIMessageChunk), from which the client builds one message. Each
// stream sends a character once, even if the events repeat it. The protocol cannot remove text: a retracted text is closed and followed by
// a `data-retracted` part, and the conversation that a client loads later does not contain it. A resumed stream may contain several
// messages: after a user message that joined the run, the answer continues in a new message, as in the stored conversation.

import type { EventOf, PlainEvent, ThreadEvent } from "#contract/event.ts";
import type { Json } from "#contract/json.ts";
import type { Message, StopReason } from "#contract/thread-message.ts";

import { providerToolChunks } from "./provider-tool-parts.ts";
import type { UiPart } from "./routes.ts";
import { callEnd, fileUrl, type FileOwner, type IsServerTool } from "./tool-parts.ts";
import { fileParts, uiMessageId, userMessage } from "./ui-messages.ts";

/** A chunk of the stream. */
export type UiChunk = UiPart;

/** The run whose events are converted, and facts that the events do not contain. */
export interface StreamedRun extends FileOwner {
  runId: string;
  /** The id of the client's UI message that the stream continues. Default: the id of the run's first UI message. */
  messageId?: string;
  /** Ids of the calls in the client's message. Their outputs can be sent without their inputs. */
  knownCalls: Iterable<string>;
  isServerTool: IsServerTool;
  /**
   * Set if a client resumes the stream, which then begins with the run's first event: the number of the thread's last event at that time.
   * If the run waited for a client before that event, the wait is over.
   */
  passedSeq?: number;
}

interface Block {
  kind: "text" | "reasoning";
  sent: number;
  isOpen: boolean;
}

/** A call that the model is still writing. */
interface CallInput {
  id: string;
  name: string;
  sent: number;
}

/**
 * Preliminary output of a running tool. Each chunk contains the whole output so far. The next chunk is sent when the output is a quarter
 * longer, so that the number of chunks stays small for a long output.
 */
interface RunningOutput {
  text: string;
  sentLength: number;
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
  aborted: "other",
  error: "error",
};

/** Turns the events of a run into chunks. The stream is over when `isOver` is true. */
export class UiStream {
  readonly #run: StreamedRun;
  readonly #blocks = new Map<string, Block>();
  /** Calls of the client's message. */
  readonly #calls: Set<string>;
  /** Calls that are still being written, by block. */
  readonly #inputs = new Map<string, CallInput>();
  /** Calls of messages that have not ended. They end with an error if the message is retracted, or ends without them. */
  readonly #unconfirmed = new Map<string, string>();
  readonly #outputs = new Map<string, RunningOutput>();
  /** Ids of messages that have ended or were retracted. */
  readonly #ended = new Set<string>();
  /** Ids of the assistant's messages that the current UI message contains. */
  readonly #contents = new Set<string>();
  /** How many UI messages of the run are complete. */
  #complete = 0;
  /** Whether a user message joined after the current UI message, so that the next step begins another one. */
  #hasJoined = false;
  #step: number | null = null;
  #stepIsOpen = false;
  #stopReason: StopReason | null = null;
  #isOver = false;

  constructor(run: StreamedRun) {
    this.#run = run;
    this.#calls = new Set(run.knownCalls);
  }

  /** True once the last chunks of the run were returned. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The first chunk. */
  begin(): UiChunk[] {
    return [{ type: "start", messageId: this.#run.messageId ?? uiMessageId(this.#run.runId, 0) }];
  }

  /** Returns the chunks of an event; none for events of other runs, and none once the stream is over. */
  take(event: ThreadEvent): UiChunk[] {
    if (this.#isOver || event.type === "snapshot") return [];
    if ((event.depth ?? 0) > 0 || (event.parent_id ?? null) !== null) return [];
    if (event.type === "message_end" && event.message.role === "user") return this.#userMessage(event.message);
    return event.run_id === this.#run.runId ? this.#chunksOf(event) : [];
  }

  /** Ends the stream with an error, for example if the thread was deleted. */
  fail(errorText: string): UiChunk[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    return [...this.#closeBlocks(), { type: "error", errorText }];
  }

  /** Ends the stream of a run that still waits. */
  rest(): UiChunk[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    return [...this.#closeBlocks(), ...this.#closeStep(), { type: "finish", finishReason: "tool-calls" }];
  }

  #chunksOf(event: PlainEvent): UiChunk[] {
    switch (event.type) {
      case "step_start":
        return this.#startStep(event.step ?? null);
      case "step_end":
        return this.#closeStep();
      case "text_start":
      case "thinking_start":
        return this.#open(event);
      case "text_delta":
      case "thinking_delta":
        return this.#grow(event);
      case "text_end":
      case "thinking_end":
        return this.#close(event);
      case "toolcall_start":
        return this.#startInput(event);
      case "toolcall_delta":
        return this.#growInput(event);
      case "toolcall_end": {
        const { id, name, arguments: input } = event.tool_call;
        this.#inputs.delete(blockId(event));
        if (!this.#calls.has(id)) this.#unconfirmed.set(id, event.message_id ?? "");
        return this.#input(id, name, input);
      }
      case "provider_tool_start":
      case "provider_tool_end":
        return this.#providerTool(event);
      case "tool_execution_start":
        return this.#input(event.tool_call_id, event.tool_name, event.args);
      case "tool_execution_delta":
        return this.#preliminary(event);
      case "message_end":
        return this.#message(event.message);
      case "message_retracted":
        return this.#retract(event.message_id);
      case "awaiting_tool_execution":
        // An event without calls reports that the calls of a child thread are answered, so the run continues.
        if (event.seq <= (this.#run.passedSeq ?? 0) || event.tool_calls.length === 0) return [];
        return [...event.tool_calls.flatMap((call) => this.#pending(call)), ...this.rest()];
      case "custom":
        return [{ type: `data-${event.name}`, data: event.data }];
      case "agent_handoff":
        return [{ type: "data-handoff", data: { from: event.from, to: event.to } }];
      case "input_rejected":
        return this.#failed(event.reason);
      case "run_end":
        return this.#end(event);
      default:
        return [];
    }
  }

  #startStep(step: number | null): UiChunk[] {
    // A retry of a step, for example with another model, does not start a new step.
    if (step !== null && step === this.#step) return [];
    this.#step = step;
    const ended = [...this.#closeStep(), ...this.#startMessage()];
    this.#stepIsOpen = true;
    return [...ended, { type: "start-step" }];
  }

  /** Converts a user message that joined the run. The data part contains the message, because a client may not have loaded it. */
  #userMessage(message: Message): UiChunk[] {
    if (this.#run.passedSeq === undefined || message.silent) return [];
    this.#hasJoined = this.#contents.size > 0;
    return [{ type: "data-user-message", data: userMessage(message, this.#run), transient: true }];
  }

  #startMessage(): UiChunk[] {
    if (!this.#hasJoined) return [];
    this.#hasJoined = false;
    this.#contents.clear();
    this.#complete += 1;
    return [...this.#closeBlocks(), { type: "start", messageId: uiMessageId(this.#run.runId, this.#complete) }];
  }

  #closeStep(): UiChunk[] {
    if (!this.#stepIsOpen) return [];
    this.#stepIsOpen = false;
    return [{ type: "finish-step" }];
  }

  #open(
    event: EventOf<"text_start" | "thinking_start" | "text_delta" | "thinking_delta" | "text_end" | "thinking_end">,
  ) {
    const id = blockId(event);
    if (this.#blocks.has(id) || this.#ended.has(event.message_id ?? "")) return [];
    this.#contents.add(event.message_id ?? "");
    const kind = event.type.startsWith("text") ? "text" : "reasoning";
    this.#blocks.set(id, { kind, sent: 0, isOpen: true });
    return [{ type: `${kind}-start`, id }];
  }

  #grow(event: EventOf<"text_delta" | "thinking_delta">): UiChunk[] {
    const begun = this.#open(event);
    return [...begun, ...this.#send(blockId(event), event.offset, event.delta)];
  }

  #close(event: EventOf<"text_end" | "thinking_end">): UiChunk[] {
    const text = event.type === "text_end" ? event.text : event.thinking;
    const id = blockId(event);
    const known = this.#blocks.get(id);
    if (known === undefined && text === "") return [];
    const chunks = [...this.#open(event), ...this.#send(id, 0, text)];
    const block = this.#blocks.get(id);
    if (block?.isOpen !== true) return chunks;
    block.isOpen = false;
    return [...chunks, { type: `${block.kind}-end`, id }];
  }

  /** Sends the part of a text piece that was not sent before. `offset` is the position of the piece in the text. */
  #send(id: string, offset: number, piece: string): UiChunk[] {
    const block = this.#blocks.get(id);
    if (block?.isOpen !== true) return [];
    const delta = piece.slice(Math.max(0, block.sent - offset));
    if (delta === "") return [];
    block.sent = offset + piece.length;
    return [{ type: `${block.kind}-delta`, id, delta }];
  }

  #tool(name: string): { toolName: string; providerExecuted?: true } {
    return { toolName: name, ...(this.#run.isServerTool(name) ? { providerExecuted: true } : {}) };
  }

  #startInput(event: EventOf<"toolcall_start">): UiChunk[] {
    const { id, name } = event.tool_call;
    const block = blockId(event);
    if (this.#calls.has(id) || this.#inputs.has(block) || this.#ended.has(event.message_id ?? "")) return [];
    this.#contents.add(event.message_id ?? "");
    this.#inputs.set(block, { id, name, sent: 0 });
    return [{ type: "tool-input-start", toolCallId: id, ...this.#tool(name) }];
  }

  #growInput(event: EventOf<"toolcall_delta">): UiChunk[] {
    const input = this.#inputs.get(blockId(event));
    const inputTextDelta = event.delta.slice(Math.max(0, (input?.sent ?? 0) - event.offset));
    if (input === undefined || inputTextDelta === "") return [];
    input.sent = event.offset + event.delta.length;
    return [{ type: "tool-input-delta", toolCallId: input.id, inputTextDelta }];
  }

  #input(toolCallId: string, name: string, input: Json): UiChunk[] {
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.add(toolCallId);
    return [{ type: "tool-input-available", toolCallId, ...this.#tool(name), input }];
  }

  #providerTool({ message_id = "", part }: EventOf<"provider_tool_start" | "provider_tool_end">): UiChunk[] {
    if (this.#ended.has(message_id)) return [];
    this.#contents.add(message_id);
    this.#unconfirmed.set(part.id, message_id);
    if (part.output !== undefined) this.#unconfirmed.delete(part.id);
    return providerToolChunks(part);
  }

  #preliminary({ tool_call_id: toolCallId, delta, offset }: EventOf<"tool_execution_delta">): UiChunk[] {
    if (delta === undefined || offset === undefined || !this.#calls.has(toolCallId)) return [];
    const known = this.#outputs.get(toolCallId) ?? { text: "", sentLength: 0 };
    const text = known.text.slice(0, offset) + delta;
    const isDue = text.length >= known.sentLength * 1.25 + 1;
    this.#outputs.set(toolCallId, { text, sentLength: isDue ? text.length : known.sentLength });
    return isDue ? [{ type: "tool-output-available", toolCallId, output: text, preliminary: true }] : [];
  }

  #message(message: Message): UiChunk[] {
    if (this.#ended.has(message.id)) return [];
    this.#ended.add(message.id);
    if (message.role === "tool") return this.#output(message);
    if (message.role !== "assistant") return [];
    this.#contents.add(message.id);
    this.#stopReason = message.stop_reason;
    for (const part of message.parts) if (part.type === "tool_call") this.#unconfirmed.delete(part.id);
    return [...this.#closeBlocks(message.id), ...this.#dropCalls(message.id), ...fileParts(message.parts, this.#run)];
  }

  #output(message: Message): UiChunk[] {
    const { tool_call_id: toolCallId, name, result } = message;
    if (toolCallId === null) return [];
    const input = this.#input(toolCallId, name ?? "", {});
    this.#outputs.delete(toolCallId);
    const files = (result?.attachments ?? []).map(({ path, mimeType }): UiChunk => ({
      type: "file",
      mediaType: mimeType,
      url: fileUrl(this.#run, path),
    }));
    return [...input, endChunk(toolCallId, message), ...files];
  }

  #retract(messageId: string | undefined): UiChunk[] {
    const chunks: UiChunk[] = [];
    for (const id of this.#openMessages()) {
      if (messageId !== undefined && id !== messageId) continue;
      this.#ended.add(id);
      this.#contents.delete(id);
      chunks.push(...this.#closeBlocks(id), ...this.#dropCalls(id), {
        type: "data-retracted",
        data: { messageId: id },
      });
    }
    return chunks;
  }

  #openMessages(): Set<string> {
    const begun = [...[...this.#blocks.keys(), ...this.#inputs.keys()].map(messageOf), ...this.#unconfirmed.values()];
    return new Set(begun.filter((id) => !this.#ended.has(id)));
  }

  /** Ends the calls of a message that was interrupted or retracted: they will not be made. */
  #dropCalls(messageId: string): UiChunk[] {
    const errorText = "The model did not complete this call.";
    const written = [...this.#inputs].flatMap(([block, { id, name }]): UiChunk[] => {
      if (messageOf(block) !== messageId) return [];
      this.#inputs.delete(block);
      this.#calls.add(id);
      return [{ type: "tool-input-error", toolCallId: id, ...this.#tool(name), input: null, errorText }];
    });
    const complete = [...this.#unconfirmed].flatMap(([id, message]): UiChunk[] => {
      if (message !== messageId) return [];
      this.#unconfirmed.delete(id);
      return [{ type: "tool-output-error", toolCallId: id, errorText }];
    });
    return [...written, ...complete];
  }

  #pending({ id, name, kind, arguments: input }: EventOf<"awaiting_tool_execution">["tool_calls"][number]): UiChunk[] {
    // Limits, and calls of child threads or nested loops, are not part of this message.
    if (!this.#calls.has(id)) return [{ type: "data-pending-call", id, data: { id, name, kind, input: input ?? {} } }];
    return kind === "approval" ? [{ type: "tool-approval-request", approvalId: id, toolCallId: id }] : [];
  }

  #end({ status, error, reason, data }: EventOf<"run_end">): UiChunk[] {
    if (status === "error") return this.#failed(error?.message ?? reason ?? "The run failed.");
    this.#isOver = true;
    const closed: UiChunk[] = [...this.#closeBlocks(), ...this.#closeStep()];
    if (status === "stopped") return [...closed, { type: "abort", reason: "stopped" }];
    // Transient: the data is of the run and not of a message, so a conversation that is loaded later does not contain it.
    if (data !== undefined) closed.push({ type: "data-answer", data, transient: true });
    const finishReason = status === "completed" ? finishReasons[this.#stopReason ?? "stop"] : "other";
    return [...closed, { type: "finish", finishReason }];
  }

  #failed(message: string): UiChunk[] {
    const closed = [...this.#closeBlocks(), ...this.#closeStep()];
    return [...closed, { type: "data-error", data: { message } }, ...this.fail(message)];
  }

  #closeBlocks(messageId?: string): UiChunk[] {
    return [...this.#blocks].flatMap(([id, block]): UiChunk[] => {
      if (!block.isOpen || (messageId !== undefined && messageOf(id) !== messageId)) return [];
      block.isOpen = false;
      return [{ type: `${block.kind}-end`, id }];
    });
  }
}

function endChunk(toolCallId: string, message: Message): UiChunk {
  const end = callEnd(message);
  switch (end.state) {
    case "output-available":
      return { type: "tool-output-available", toolCallId, output: end.output };
    case "output-error":
      return { type: "tool-output-error", toolCallId, errorText: end.errorText };
    case "output-denied":
      return { type: "tool-output-denied", toolCallId };
  }
}

function blockId({ message_id, index }: { message_id?: string | undefined; index: number }): string {
  return `${message_id ?? ""}:${String(index)}`;
}

function messageOf(blockIdText: string): string {
  return blockIdText.slice(0, blockIdText.lastIndexOf(":"));
}
