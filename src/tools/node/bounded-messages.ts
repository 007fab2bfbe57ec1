// The messages of a program that is an MCP server, in place of the SDK's buffer of its output: the bytes and values of a message, and of all
// pages of a list, are counted while they arrive, before a message is parsed.

import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/client";

import { parseCountedJson } from "#lib/untrusted/bounded-json.ts";
import type { TextMeter } from "#lib/untrusted/bounded-response.ts";

import { plainMessage, plainMessages } from "../mcp/plain-message.ts";
import { ListPages, responseBytes, type SentMessage } from "../mcp/response-bounds.ts";
import { tooMuchText } from "../mcp/server-error.ts";

/** Reads messages, one a line. The members `append`, `readMessage` and `clear` are those of the SDK's buffer. */
export class BoundedMessages {
  readonly #pages = new ListPages();
  readonly #decoder = new TextDecoder();
  #meter: TextMeter = this.#pages.messageMeter();
  /** The pieces of the line that has not ended. They are joined once, because a program may write single bytes. */
  #pieces: string[] = [];
  #units = 0;
  #lines: string[] = [];
  /** Further messages of a batch, which programs of the versions up to 2025-03-26 may write. */
  #batch: unknown[] = [];
  /** The text of the error after which the transport closes; null before. */
  problem: string | null = null;

  /** Notes a message that is sent to the program. */
  sent(message: SentMessage): void {
    this.#pages.sent(message);
  }

  /** Reads a piece of the output. Throws at the first character or value above a bound. */
  append(chunk: Uint8Array): void {
    if (this.problem !== null) return;
    const [head = "", ...lines] = this.#decoder.decode(chunk, { stream: true }).split("\n");
    try {
      this.#part(head);
      for (const line of lines) {
        this.#lines.push(this.#pieces.join("").replace(/\r$/, ""));
        this.#begin();
        this.#part(line);
      }
    } catch (thrown) {
      this.clear();
      this.problem ??= tooMuchText(thrown instanceof Error ? thrown.message : String(thrown));
      throw thrown;
    }
  }

  /** The next message; null if none is complete. Throws for a line that is no message. */
  readMessage(): JSONRPCMessage | null {
    if (this.#batch.length === 0) {
      const line = this.#lines.shift();
      if (line === undefined) return null;
      const value = parseCountedJson(line.replace(/^\uFEFF/, ""));
      this.#batch = Array.isArray(value) && value.length > 0 ? plainMessages(value) : [plainMessage(value)];
    }
    return parseJSONRPCMessage(this.#batch.shift());
  }

  /** Drops everything that arrived. */
  clear(): void {
    this.#lines = [];
    this.#batch = [];
    this.#begin();
  }

  #begin(): void {
    this.#pieces = [];
    this.#units = 0;
    this.#meter = this.#pages.messageMeter();
  }

  #part(text: string): void {
    if (text === "") return;
    this.#units += text.length;
    if (this.#units > responseBytes) throw new Error(`has more than ${responseBytes} characters in one message`);
    this.#meter.read(text);
    this.#pieces.push(text);
  }
}
