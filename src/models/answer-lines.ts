// Reads the lines of a response body and finds out whether the answer is complete. The provider packages of the AI SDK wait until the
// connection closes, and some servers keep it open long after the last event.

import { fieldsOf, parseJson } from "#lib/json-value.ts";
import { EventMeter } from "#lib/untrusted/bounded-events.ts";

import { FinishedAnswer } from "./finished-answer.ts";

/** The maximum number of characters of an event. An event with a picture is kept in memory until it ends. */
const longestEvent = 32 * 1024 * 1024;

/** Bounds of a body, which the provider's package parses. A last event may repeat the whole answer. */
const bounds = { units: longestEvent, lines: 10_000, json: { values: 100_000, depth: 64 } };

// A match only means that the chunk is parsed: the text of the model may contain the same field names.
const mayEnd = /"(?:finish|stop)_?reason"\s*:\s*"|"response\.(?:completed|incomplete|failed)"|"message_stop"/i;
const lastEvent = /^(?:response\.(?:completed|incomplete|failed)|message_stop)$/;

/** The lines of one body. */
export class AnswerLines {
  readonly #decoder = new TextDecoder();
  readonly #meter = new EventMeter(bounds);
  readonly #finish = new FinishedAnswer();
  /** The beginning of a line whose end has not arrived. */
  #rest = "";
  /** The last piece ended with `\r`, which may be the first half of `\r\n`. */
  #endsInReturn = false;
  /** Number of characters of the current event in the lines before the current line. */
  #before = 0;
  /** An event arrived, so the body is a stream. */
  begun = false;
  /** The last event of the protocol or `[DONE]` arrived: no part of the answer follows. */
  ended = false;
  /** The last event reports success. */
  completed = false;
  /** Token counts arrived. */
  counted = false;

  /**
   * Reads the next piece of the body, and returns its text. The text after the last event of the protocol is left out, because nothing that
   * a server sends there belongs to the answer. Throws if an event is too long.
   */
  read(piece: Uint8Array): string {
    const text = this.#decoder.decode(piece, { stream: true });
    this.#count(text);
    // The line of the first half has ended already.
    const isSecondHalf = this.#endsInReturn && text.startsWith("\n");
    const [head = "", ...lines] = (isSecondHalf ? text.slice(1) : text).split(/\r\n|\n|\r/);
    if (text !== "") this.#endsInReturn = text.endsWith("\r");
    this.#rest += head;
    for (const [at, line] of lines.entries()) {
      this.#line(this.#rest);
      this.#rest = line;
      if (this.ended) return this.#cutAfterLine(text, isSecondHalf ? at + 1 : at);
    }
    if (this.#before + this.#rest.length > longestEvent) {
      throw new Error("The server sent an event that is too long.");
    }
    if (this.#rest.length < 16 && isDone(this.#rest)) this.#done();
    return text;
  }

  #count(text: string): void {
    try {
      this.#meter.read(text);
    } catch (thrown) {
      throw new Error(`The server sent an answer that ${thrown instanceof Error ? thrown.message : "is too long"}.`);
    }
  }

  /** The text up to the end of the line with this number, which is the last line that is read, with an empty line that follows it. */
  #cutAfterLine(text: string, number: number): string {
    const [line, next] = [...text.matchAll(/\r\n|\n|\r/g)].slice(number, number + 2).map(endOf);
    this.#rest = "";
    const isEmpty = next !== undefined && next.start === line?.end;
    if (isEmpty) this.#before = 0;
    const read = text.slice(0, isEmpty ? next.end : line?.end);
    this.#endsInReturn = read.endsWith("\r");
    return read;
  }

  /** A finish reason arrived that no content follows. Token counts and `[DONE]` may follow. */
  get finished(): boolean {
    return this.#finish.isFinished;
  }

  /** The answer is certainly finished, and its token counts arrived. */
  get finishedWithCounts(): boolean {
    return this.finished && this.counted && this.#finish.isCertain;
  }

  /** No event is open: the last line was empty, or nothing was read. */
  get atBoundary(): boolean {
    return this.#before === 0 && this.#rest === "" && !this.#endsInReturn;
  }

  #line(line: string): void {
    this.#before = line === "" ? 0 : this.#before + line.length;
    if (!line.startsWith("data:")) return;
    this.begun = true;
    if (isDone(line)) this.#done();
    else if (mayEnd.test(line) || this.finished) this.#chunk(line.slice("data:".length));
    else this.#finish.skip();
  }

  #done(): void {
    this.ended = true;
    this.completed = true;
  }

  #chunk(json: string): void {
    // The chunk may be invalid JSON. The provider's package reports that as an error.
    const chunk = fieldsOf(parseJson(json));
    const { type, usage, usageMetadata, metadata } = chunk;
    if (typeof type === "string" && lastEvent.test(type)) {
      this.ended = true;
      this.completed = type === "response.completed" || type === "message_stop";
    }
    this.#finish.readChunk(chunk);
    this.counted ||= typeof (usage ?? usageMetadata ?? fieldsOf(metadata)["usage"] ?? 0) === "object";
  }
}

function endOf({ index, 0: found }: RegExpExecArray): { start: number; end: number } {
  return { start: index, end: index + found.length };
}

function isDone(line: string): boolean {
  return /^data:\s*\[DONE\]\s*$/.test(line);
}
