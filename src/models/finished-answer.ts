// Finds out whether the finish reason of an answer arrived. Some servers send a reason in each chunk, or one that is only a text for null. So
// a reason is the end of an answer only until content follows it, and then only in a chunk without content.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";

import { isFinishReason, namesFailure } from "./finish-reason.ts";

// A match only means that the chunk is parsed: the text of the model may contain the same field names.
const mayEnd = /"(?:finish|stop)_?reason"\s*:\s*"/i;

/** The finish reasons of one answer. */
export class FinishedAnswer {
  #isRepeated = false;
  #hasPlainEvents = false;
  #isWithContent = false;
  /** The reason of a complete answer arrived. Only token counts and the end mark follow. */
  isFinished = false;

  /** Whether the reason is certainly not one that each chunk has: an event without a reason arrived before it, or it came alone. */
  get isCertain(): boolean {
    return this.#hasPlainEvents || !this.#isWithContent;
  }

  /** Reads the data of the next event. */
  read(data: string): void {
    if (this.isFinished || mayEnd.test(data)) this.readChunk(fieldsOf(parseJson(data)));
    else this.skip();
  }

  /** Records an event that has no finish reason. */
  skip(): void {
    this.#hasPlainEvents = true;
  }

  /** Reads the parsed data of the next event. */
  readChunk(chunk: Fields): void {
    const isContent = hasContent(chunk);
    if (this.isFinished && isContent) {
      this.isFinished = false;
      this.#isRepeated = true;
    }
    if (this.isFinished || (this.#isRepeated && isContent) || !reasonsOf(chunk).some(isFinish)) return;
    this.isFinished = true;
    this.#isWithContent = isContent;
  }
}

function reasonsOf({ type, choices, candidates, delta, messageStop }: Fields): unknown[] {
  const last = type === "message_delta" ? fieldsOf(delta)["stop_reason"] : undefined;
  const { stopReason } = fieldsOf(messageStop);
  return [first(choices)["finish_reason"], first(candidates)["finishReason"], last, stopReason];
}

function isFinish(reason: unknown): boolean {
  return isFinishReason(reason) && reason !== "pause_turn" && !namesFailure(reason);
}

const contentFields = "content reasoning_content reasoning tool_calls function_call audio images".split(" ");

/** Whether a chunk has a piece of the answer, in Chat Completions, the Messages API, Gemini's API or Converse. */
function hasContent({ type, choices, candidates, contentBlockStart, contentBlockDelta }: Fields): boolean {
  if (type === "content_block_start" || type === "content_block_delta") return true;
  if (isObject(contentBlockStart) || isObject(contentBlockDelta)) return true;
  const { delta, message } = first(choices);
  const piece = isObject(delta) ? delta : fieldsOf(message);
  if (contentFields.some((name) => isFilled(piece[name]))) return true;
  const parts = listOf(fieldsOf(first(candidates)["content"])["parts"]).filter(isObject);
  const isEmpty = /^(?:text|thought|thoughtSignature)$/;
  return parts.some((part) => isFilled(part["text"]) || Object.keys(part).some((name) => !isEmpty.test(name)));
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== "" && value !== null && value !== undefined;
}

function first(value: unknown): Fields {
  return fieldsOf(listOf(value)[0]);
}
