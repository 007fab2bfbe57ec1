// Converts the records of a run to UPP's messages, and to a turn with its tool executions and token counts.

import type { Json, JsonObject } from "#contract/json.ts";
import { isJsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";
import { addUsage, zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import { answerData } from "#core/model/answer-data.ts";
import type { MessageRecord, ProviderData, StoredPart } from "#core/record/record.ts";
import { hostMessage } from "#host/host-records.ts";
import { fromBase64 } from "#lib/base64.ts";
import { unreachable } from "#lib/unreachable.ts";

import type { AssistantContent } from "./content-block.ts";
import { blockResult, imagePart, userPart } from "./content-part.ts";
import type { EndedCalls } from "./tool-calls.ts";
import { resultText } from "./tool-calls.ts";
import { requestedCalls } from "./tool-order.ts";
import type { TurnRequest } from "./turn-request.ts";
import type { TokenUsage, Turn } from "./turn.ts";
import type { AnyMessage, MessageMetadata } from "./upp-message.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "./upp-message.ts";
import type { ToolCall } from "./upp-tool.ts";

/** A turn, and why its last answer ended. */
export interface EndedTurn {
  turn: Turn;
  stopReason: StopReason;
}

/** The run that is converted: its message records, and the executions of its calls. */
interface RunParts {
  journal: { readonly messages: readonly MessageRecord[] };
  calls: EndedCalls;
}

/** Converts the records of a run in progress. Each record is converted once, so its message is the same object in each list and turn. */
export class TurnRecords {
  readonly #request: Pick<TurnRequest, "input" | "structure" | "modelOrder">;
  readonly #run: RunParts;
  readonly #made = new Map<string, AnyMessage>();

  constructor(request: Pick<TurnRequest, "input" | "structure" | "modelOrder">, run: RunParts) {
    this.#request = request;
    this.#run = run;
  }

  /** The number of records. */
  get length(): number {
    return this.#run.journal.messages.length;
  }

  /** Converts the records from index `from` on. The input is not among them. */
  messages(from = 0): AnyMessage[] {
    const records = this.#run.journal.messages.slice(from);
    const rows = rowsByStep(records);
    return records.flatMap((record): AnyMessage[] => {
      if (record.role === "user") return [this.#once(record.id, () => instructionMessage(record))];
      if (record.role !== "assistant") return [];
      const answer = this.#once(record.id, () => answerMessage(record, this.#request));
      const results = rows.get(record.step) ?? [];
      if (results.length === 0) return [answer];
      return [answer, this.#once(`${record.id}:results`, () => resultMessage(results, this.#run.calls))];
    });
  }

  /**
   * Makes a turn of the records from index `from` on. If `from` is 0, the turn begins with the input. `usage` has the token counts of the
   * whole run, failed requests included. Without `usage`, the turn has the sum of the token counts of its answers.
   */
  turn(from = 0, usage?: Usage): EndedTurn {
    const records = this.#run.journal.messages.slice(from);
    const { input, structure } = this.#request;
    const messages = [...(from === 0 ? input : []), ...this.messages(from)];
    const response = messages.findLast((message): message is AssistantMessage => message.type === "assistant");
    const answers = records.filter(({ role }) => role === "assistant");
    const last = answers.at(-1);
    if (response === undefined || last === undefined) unreachable("a completed run has an answer");
    const texts = last.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const data = structure === undefined || response.hasToolCalls ? undefined : answerData(texts);
    const counted = answers.flatMap((answer) => answer.usage ?? []);
    const turn: Turn = {
      messages,
      response,
      toolExecutions: records.flatMap(({ role, tool_call_id }) =>
        role === "tool" ? (this.#run.calls.execution(tool_call_id ?? "") ?? []) : [],
      ),
      usage: { ...tokenUsage(usage ?? counted.reduce(addUsage, zeroUsage)), cycles: counted.map(tokenUsage) },
      cycles: answers.length,
      ...(data === undefined ? {} : { data }),
    };
    return { turn, stopReason: last.stop_reason ?? "stop" };
  }

  #once<M extends AnyMessage>(key: string, make: () => M): M {
    const known = this.#made.get(key) as M | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(key, made);
    return made;
  }
}

/** Groups the tool records by the number of their step. */
function rowsByStep(records: readonly MessageRecord[]): Map<number | null, MessageRecord[]> {
  const rows = new Map<number | null, MessageRecord[]>();
  for (const record of records) {
    if (record.role !== "tool") continue;
    const known = rows.get(record.step);
    if (known === undefined) rows.set(record.step, [record]);
    else known.push(record);
  }
  return rows;
}

function tokenUsage({ input, output, cache_read, cache_write, total_tokens }: Usage): TokenUsage {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: total_tokens,
    cacheReadTokens: cache_read,
    cacheWriteTokens: cache_write,
  };
}

/** Converts messages to records, in order. */
export function recordsOf(messages: readonly AnyMessage[], runId: string): MessageRecord[] {
  const names = new Map<string, string>();
  return messages.flatMap((message) => {
    const at = { at: message.timestamp.getTime() * 1000, run_id: runId };
    if (message.type === "user") {
      return [hostMessage({ id: message.id, role: "user", parts: message.content.map(userPart) }, at)];
    }
    if (message.type === "assistant") {
      for (const { toolCallId, toolName } of message.toolCalls ?? []) names.set(toolCallId, toolName);
      return [hostMessage({ id: message.id, role: "assistant", parts: answerParts(message) }, at)];
    }
    return message.results.map(({ toolCallId, result, isError = false }, index): MessageRecord => {
      const blocks = blockResult(result);
      const text = blocks?.text ?? resultText(result);
      const parts: StoredPart[] = [{ type: "text", text }, ...(blocks?.files ?? [])];
      return {
        ...hostMessage({ id: `${message.id}:${index}`, role: "assistant", parts }, at),
        role: "tool",
        name: names.get(toolCallId) ?? null,
        tool_call_id: toolCallId,
        result: isError ? { status: "error", error: text } : { status: "success", result: text },
      };
    });
  });
}

function answerParts({ content, toolCalls = [], metadata = {} }: AssistantMessage): StoredPart[] {
  const ofBlock = (index: number) => dataOf(metadata, "blocks", `${index}`);
  return [
    ...content.flatMap((block, index): StoredPart[] => {
      if (block.type === "text") return [{ type: "text", text: block.text, ...ofBlock(index) }];
      if (block.type === "reasoning") return [{ type: "thinking", thinking: block.text, ...ofBlock(index) }];
      return block.type === "image" ? [imagePart(block)] : [];
    }),
    ...toolCalls.map(({ toolCallId: id, toolName: name, arguments: args }): StoredPart => {
      const data = dataOf(metadata, "calls", id);
      return { type: "tool_call", id, name, arguments: args as JsonObject, ...data };
    }),
  ];
}

/** The opaque data of a block or a call. */
function dataOf(metadata: MessageMetadata, list: "blocks" | "calls", key: string): { provider_data?: ProviderData } {
  for (const [provider, fields] of Object.entries(metadata)) {
    const all = fields[list] as Json | undefined;
    const data = isJsonObject(all) && Object.hasOwn(all, key) ? all[key] : undefined;
    if (isJsonObject(data)) return { provider_data: { provider, data } };
  }
  return {};
}

/** The metadata that marks what a strategy adds: its instructions, and answers that are not for the user. */
function strategyMetadata({ strategy }: MessageRecord): MessageMetadata {
  if (strategy === undefined) return {};
  const { name, phase } = strategy;
  return { uap: { strategy: name, ...(phase === null ? {} : { phase }) } };
}

/** Converts an instruction that a strategy added to a message. */
function instructionMessage(record: MessageRecord): UserMessage {
  const text = record.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const metadata = strategyMetadata(record);
  return new UserMessage(text, { timestamp: new Date(record.created_at / 1000), metadata });
}

/** Converts an answer of the loop to a message. */
function answerMessage(record: MessageRecord, { modelOrder }: Pick<TurnRequest, "modelOrder">): AssistantMessage {
  const { parts, created_at } = record;
  const calls = parts.filter((part) => part.type === "tool_call");
  const content: AssistantContent[] = [];
  const toolCalls: ToolCall[] = [];
  const opaqueData: Record<string, { blocks?: JsonObject; calls?: JsonObject }> = {};
  const keep = (list: "blocks" | "calls", key: string, { provider_data: opaque }: StoredPart): void => {
    if (opaque === undefined) return;
    const fields = (opaqueData[opaque.provider] ??= {});
    fields[list] = { ...fields[list], [key]: opaque.data };
  };
  for (const part of parts) {
    if (part.type === "tool_call") {
      const { id, name, arguments: args } = part;
      const after = modelOrder ? requestedCalls(part, calls) : [];
      toolCalls.push({
        toolCallId: id,
        toolName: name,
        // A text means that the model did not send a JSON object. The result of the call states the error.
        arguments: typeof args === "string" ? {} : args,
        ...(after.length === 0 ? {} : { after }),
      });
      keep("calls", id, part);
      continue;
    }
    const block = answerBlock(part);
    if (block === null) continue;
    keep("blocks", `${content.length}`, part);
    content.push(block);
  }
  const options = { timestamp: new Date(created_at / 1000) };
  const called = toolCalls.length === 0 ? undefined : toolCalls;
  const metadata: MessageMetadata = { ...opaqueData, ...strategyMetadata(record) };
  return new AssistantMessage(content, called, Object.keys(metadata).length === 0 ? options : { ...options, metadata });
}

function answerBlock(part: Exclude<StoredPart, { type: "tool_call" }>): AssistantContent | null {
  switch (part.type) {
    case "text":
      return part.text === "" && part.provider_data === undefined ? null : { type: "text", text: part.text };
    case "thinking":
      return { type: "reasoning", text: part.thinking };
    // The document has no block for a tool that the provider executed.
    case "provider_tool":
      return null;
    case "image":
      if (part.data === undefined) return null;
      return { type: "image", source: { type: "base64", data: part.data }, mimeType: part.mime_type };
    case "file": {
      const type = part.mime_type.startsWith("video/") ? "video" : "audio";
      const data = part.data === undefined ? null : fromBase64(part.data);
      return data === null ? null : { type, data, mimeType: part.mime_type };
    }
  }
}

/** Converts the tool records of one answer to a message. If a call has an execution, the message contains the result of the execution. */
function resultMessage(rows: readonly MessageRecord[], calls: EndedCalls): ToolResultMessage {
  const results = rows.map(({ tool_call_id, result }) => {
    const toolCallId = tool_call_id ?? "";
    const execution = calls.execution(toolCallId);
    const isError = execution?.isError ?? result?.status === "error";
    const text = (result?.status === "error" ? result.error : result?.result) ?? "";
    const known = execution === undefined ? text : calls.messageResult(toolCallId);
    return { toolCallId, result: known, ...(isError ? { isError } : {}) };
  });
  const last = rows.at(-1);
  return new ToolResultMessage(results, last === undefined ? {} : { timestamp: new Date(last.updated_at / 1000) });
}
