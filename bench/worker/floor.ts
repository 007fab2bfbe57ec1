// The least that a durable answer can cost: an object that stores the request, calls the provider, passes the answer on and stores it. It
// has no runs, no checks and no other subscribers. There are three ways: the provider's bytes unchanged and unparsed, each chunk written to the
// client by itself, and read by the provider's package, as every program that needs the content has to.

import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { DurableObject } from "cloudflare:workers";

interface FloorEnvironment {
  OPENAI_API_KEY: string;
  OPENAI_BASE_URL: string;
}

/** A request to the floor. */
interface FloorRequest {
  model: string;
  /** The text of a message, and the number of messages with that text. */
  content: string;
  count: number;
  way: "bytes" | "chunks" | "package";
}

type Prompt = LanguageModelV3CallOptions["prompt"];

const streamed = { headers: { "content-type": "text/event-stream" } };
const tool = { type: "function", name: "at_once", inputSchema: { type: "object", properties: {} } } as const;

export class FloorObject extends DurableObject<FloorEnvironment> {
  constructor(state: DurableObjectState, env: FloorEnvironment) {
    super(state, env);
    state.storage.sql.exec("CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  override async fetch(request: Request): Promise<Response> {
    const requested = await request.json<FloorRequest>();
    this.#store(requested.content);
    if (requested.way === "chunks") return this.#chunks(requested);
    return requested.way === "bytes" ? this.#bytes(requested) : this.#package(requested);
  }

  async #bytes({ model, content, count }: FloorRequest): Promise<Response> {
    const messages: object[] = Array.from({ length: count }, () => ({ role: "user", content }));
    let answer = await this.#ask(model, messages);
    if (model === "tool") {
      // A step: the whole answer, a row for the result of its call, and the next request.
      const call = await answer.text();
      this.#store(call);
      const result = { role: "tool", tool_call_id: "call_bench", content: "Done." };
      answer = await this.#ask(model, [...messages, { role: "assistant", content: call }, result]);
    }
    const [passed, kept] = (answer.body ?? new ReadableStream<Uint8Array>()).tee();
    this.ctx.waitUntil(new Response(kept).text().then((text) => this.#store(text)));
    return new Response(passed, streamed);
  }

  async #chunks({ model, content, count }: FloorRequest): Promise<Response> {
    const messages = Array.from({ length: count }, () => ({ role: "user", content }));
    const answer = await this.#ask(model, messages);
    const { readable, writable } = new IdentityTransformStream();
    this.ctx.waitUntil(this.#write(answer.body ?? new ReadableStream<Uint8Array>(), writable.getWriter()));
    return new Response(readable, streamed);
  }

  /** Writes each chunk of an answer by itself, and stores the answer in a row at the end. */
  async #write(body: ReadableStream<Uint8Array>, writer: WritableStreamDefaultWriter): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of body) {
      text += decoder.decode(piece, { stream: true });
      for (let begin = 0, end = 0; begin < piece.length; begin = end) {
        end = endOfChunk(piece, begin);
        await writer.write(piece.slice(begin, end));
      }
    }
    this.#store(text);
    await writer.close();
  }

  #ask(model: string, messages: object[]): Promise<Response> {
    return fetch(`${this.env.OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, messages, stream: true }),
    });
  }

  async #package({ model, content, count }: FloorRequest): Promise<Response> {
    const prompt: Prompt = Array.from({ length: count }, () => ({
      role: "user",
      content: [{ type: "text", text: content }],
    }));
    if (model === "tool") {
      const input = await callIn(await this.#parts(model, prompt));
      this.#store(input);
      const call = { toolCallId: "call_bench", toolName: tool.name };
      const output = { type: "text", value: "Done." } as const;
      prompt.push(
        { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
        { role: "tool", content: [{ type: "tool-result", ...call, output }] },
      );
    }
    const parts = await this.#parts(model, prompt);
    const { readable, writable } = new IdentityTransformStream();
    this.ctx.waitUntil(this.#pass(parts, writable.getWriter()));
    return new Response(readable, streamed);
  }

  async #parts(model: string, prompt: Prompt): Promise<ReadableStream<LanguageModelV3StreamPart>> {
    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL } = this.env;
    const language = createOpenAI({ apiKey, baseURL }).chat(model);
    const { stream } = await language.doStream({ prompt, ...(model === "tool" ? { tools: [tool] } : {}) });
    return stream;
  }

  /** Passes each delta on in the provider's form, and stores the text in a row at the end. */
  async #pass(parts: ReadableStream<LanguageModelV3StreamPart>, writer: WritableStreamDefaultWriter): Promise<void> {
    const encoder = new TextEncoder();
    let text = "";
    for await (const part of parts) {
      if (part.type !== "text-delta") continue;
      text += part.delta;
      const event = { choices: [{ delta: { content: part.delta } }] };
      await writer.write(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
    }
    this.#store(text);
    await writer.close();
  }

  #store(body: string): void {
    this.ctx.storage.sql.exec("INSERT INTO message (body) VALUES (?)", body);
  }
}

const lineFeed = 0x0a;

/** The position after the chunk that begins at a position, or the end of the piece. */
function endOfChunk(piece: Uint8Array, begin: number): number {
  for (let at = piece.indexOf(lineFeed, begin); at !== -1; at = piece.indexOf(lineFeed, at + 1)) {
    if (piece[at + 1] === lineFeed) return at + 2;
  }
  return piece.length;
}

/** The arguments of the one call of an answer. */
async function callIn(parts: ReadableStream<LanguageModelV3StreamPart>): Promise<string> {
  let input = "";
  for await (const part of parts) if (part.type === "tool-call") input = part.input;
  return input;
}
