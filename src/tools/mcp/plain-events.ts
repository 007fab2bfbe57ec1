// Normalises the messages in a stream of server-sent events whose bounds were counted. Other events, and fields other than the data, are
// passed on unchanged.

import { parseCountedJson } from "#lib/untrusted/bounded-json.ts";

import { isLikeMessage, plainMessage, plainMessages } from "./plain-message.ts";
import type { ResponseOwner } from "./plain-message.ts";

/**
 * The maximum number of events of a stream whose data is no message, and that the SDK reports. Its report of one takes 25 µs. Some servers
 * send such an event to keep a connection open; the data of further ones is left out.
 */
const mostOddEvents = 100;

/** The events of one stream. */
export class PlainEvents {
  readonly #request: ResponseOwner | undefined;
  /** The pieces of the line that has not ended. They are joined once, because a server may send single characters. */
  #pieces: string[] = [];
  /** The lines of the event that has not ended. */
  #lines: string[] = [];
  /** The id of the last event that has one, with which the stream can be continued; empty if none has. */
  lastEvent = "";
  /** The number of events so far whose data is no message. */
  #odd = 0;
  /** The number of events so far, without empty ones. */
  #events = 0;
  /** The event that is read begins with a comment, by which servers keep the connection of a long call open. */
  #hasComment = false;
  /** The last piece ended with `\r`, which may be the first half of `\r\n`. */
  #endsInReturn = false;

  /** `request` is the request to which the stream responds; undefined for a stream of several requests. */
  constructor(request: ResponseOwner | undefined) {
    const isFirst = () => this.#events === 1 && !this.#hasComment;
    this.#request = request && { ...request, isFirst: () => isFirst() && request.isFirst() };
  }

  /** Reads the next piece. Returns the text of the events that ended with it. */
  read(piece: string): string {
    if (piece === "") return "";
    const text = this.#endsInReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#endsInReturn = piece.endsWith("\r");
    const parts = text.split(/\r\n|\n|\r/);
    const last = parts.pop() ?? "";
    const ended: string[] = [];
    for (const part of parts) {
      this.#pieces.push(part);
      const line = this.#pieces.join("");
      this.#pieces = [];
      if (line === "") ended.push(this.#event());
      else this.#lines.push(line);
    }
    if (last !== "") this.#pieces.push(last);
    return ended.join("");
  }

  /** The text of the event that the end of the stream interrupts; empty if there is none. */
  end(): string {
    const line = this.#pieces.join("");
    this.#pieces = [];
    if (line !== "") this.#lines.push(line);
    return this.#lines.length === 0 ? "" : this.#event();
  }

  #event(): string {
    const lines = this.#lines;
    this.#lines = [];
    this.#events += lines.length === 0 ? 0 : 1;
    this.#hasComment = lines.some((line) => comment.test(line));
    // Some servers send the JSON of the message without events, although they name the type of a stream.
    if (/^\uFEFF?\s*[[{]/.test(lines[0] ?? "")) lines.splice(0, lines.length, `data: ${lines.join("")}`);
    const data = lines.filter((line) => dataField.test(line)).map((line) => line.replace(dataField, ""));
    const id = lines.findLast((line) => idField.test(line))?.replace(idField, "") ?? "";
    if (id !== "" && !id.includes("\0")) {
      this.lastEvent = id;
      // The SDK does not read the id of an event without data.
      if (data.length === 0) return [...lines, "data:", "", ""].join("\n");
    }
    const isOther = lines.some((line) => otherEvent.test(line));
    const plain = data.length === 0 ? undefined : this.#plainData(data.join("\n"), isOther);
    if (plain === undefined) return [...lines, "", ""].join("\n");
    const others = lines.filter((line) => !dataField.test(line) && !otherEvent.test(line));
    if (plain.length === 0) return [...others, "", ""].join("\n");
    const last = plain.length - 1;
    // Only the last message of a batch has the id, because a stream that continues after the id repeats none of them.
    return plain
      .map((message, at) => [
        ...others.filter((line) => at === last || !idField.test(line)),
        `data: ${message}`,
        "",
        "",
      ])
      .map((event) => event.join("\n"))
      .join("");
  }

  /**
   * The normalised messages in the data: several of a batch, otherwise one. Undefined if the data is passed on unchanged, and empty if it is
   * left out. `isOther`: the event has another name than those of messages, so only a message with a version is read.
   */
  #plainData(data: string, isOther: boolean): string[] | undefined {
    const value = parsedOrUndefined(data);
    if (isOther) {
      if (!isLikeMessage(value) || typeof value["jsonrpc"] !== "string") return undefined;
      return [JSON.stringify(plainMessage(value, this.#request))];
    }
    // Servers of the versions up to 2025-03-26 may send several messages in one event, which the SDK refuses.
    const isBatch = Array.isArray(value) && value.length > 0;
    const all = isBatch ? (value as unknown[]) : [value];
    const kept = all.filter((each) => isLikeMessage(each) || ++this.#odd <= mostOddEvents);
    if (!isBatch && kept.length > 0) {
      const plain = plainMessage(value, this.#request);
      return plain === value ? undefined : [JSON.stringify(plain)];
    }
    return plainMessages(kept, this.#request).map((each) => JSON.stringify(each));
  }
}

/** The value of a counted text; undefined if the text is no JSON. */
export function parsedOrUndefined(data: string): unknown {
  try {
    return parseCountedJson(data);
  } catch {
    // The SDK reports data that is no JSON.
    return undefined;
  }
}

const comment = /^\uFEFF?:/;
const idField = /^\uFEFF?id: ?/;
/** An event whose data the SDK does not read as a message, such as the address of the transport of 2024-11-05. */
const otherEvent = /^\uFEFF?event:(?! ?(?:message)?$)/;
const dataField = /^data(?:: ?|$)/;
