// A fetch whose successful responses are streams that the packages can read. Chunks of Chat Completions are repaired
// (`chat-repair.ts`). A response that is one document becomes a stream, so that its text or its error is not lost. Streams of
// other protocols pass byte for byte.

import { ChatRepair } from "./chat-repair.ts";
import { errorEvent } from "./error-event.ts";
import { EventCutter, type EventText } from "./event-text.ts";
import type { NetworkProvider } from "./provider-settings.ts";

type Fields = Record<string, unknown>;

const speaksChat: Record<NetworkProvider, boolean> = {
  openai: true,
  "openai-responses": false,
  "openai-compatible": true,
  anthropic: false,
  google: false,
  openrouter: true,
};

// A response that is one document is held in memory until it is complete.
const longestDocument = 8 * 1024 * 1024;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The names of the tools that a request offers. */
function offeredTools(body: unknown): string[] {
  const request = typeof body === "string" && body.includes('"tools"') ? parse(body) : null;
  const tools = isFields(request) && Array.isArray(request["tools"]) ? (request["tools"] as unknown[]) : [];
  return tools.flatMap((tool) => {
    const name = isFields(tool) && isFields(tool["function"]) ? tool["function"]["name"] : null;
    return typeof name === "string" ? [name] : [];
  });
}

/** Repairs one response. */
class Repair {
  readonly #provider: NetworkProvider;
  readonly #chat: ChatRepair;
  readonly #cutter = new EventCutter();

  constructor(provider: NetworkProvider, toolNames: readonly string[]) {
    this.#provider = provider;
    this.#chat = new ChatRepair(toolNames);
  }

  /** Repairs a piece of a stream of Chat Completions. `last`: no text follows. */
  events(text: string, last: boolean): string {
    return this.#cutter
      .take(text, last)
      .map((event) => this.#event(event))
      .join("");
  }

  #event({ text, data, head, error }: EventText): string {
    if (error !== null) return this.#failed(parse(error) ?? error);
    if (data === null) return text;
    const repaired = this.#chat.take(data);
    if (repaired.length === 1 && repaired[0] === data) return text;
    return repaired.map((entry) => `${head}data: ${entry}\n\n`).join("");
  }

  /** Converts a response that is one document to the events of a stream. */
  stream(text: string): string {
    const value = parse(text);
    if (value === undefined) return this.#failed(unasked(withoutTags(text)));
    const error = isFields(value) ? errorEvent(value) : null;
    if (error !== null) return this.#failed(unasked(error["error"]));
    if (speaksChat[this.#provider] && isFields(value)) {
      return this.events(`data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`, true);
    }
    // Google's answer without `alt=sse` is a list of the same chunks.
    if (this.#provider === "google") {
      const chunks: unknown[] = Array.isArray(value) ? value : [value];
      return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    }
    return this.#failed(unasked("The server answered with one document in place of a stream."));
  }

  /** An error event in the form of the provider's streaming protocol. */
  #failed(value: unknown): string {
    const shaped = errorEvent(isFields(value) ? value : { error: value });
    const { error } = shaped ?? { error: { message: String(value) } };
    if (this.#provider === "anthropic") return `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`;
    if (this.#provider === "openai-responses") {
      return `data: ${JSON.stringify({ type: "error", sequence_number: 0, error })}\n\n`;
    }
    return `data: ${JSON.stringify({ error })}\n\n`;
  }
}

/** A refusal in place of a stream. It is not retried unless its own fields name a class that is: no answer was interrupted. */
function unasked(error: unknown): Fields {
  return { error: { type: "invalid_answer", ...(isFields(error) ? error : { message: error }) } };
}

/** The text of an HTML page, which a proxy or a login portal may send in place of the provider's answer. */
function withoutTags(text: string): string {
  const words = text
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `The server answered with a page in place of a stream: ${words.slice(0, 300)}`;
}

/** The first byte that is neither white space nor part of a byte order mark; null if there is none. */
function firstByte(bytes: Uint8Array): number | null {
  const found = bytes.find((byte) => ![0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf].includes(byte));
  return found ?? null;
}

// `{`, `[` and `<`: a document may begin with them, a line of a stream cannot.
const documentBytes = new Set([0x7b, 0x5b, 0x3c]);

/** The form of a response: a stream that passes unchanged, events of Chat Completions, or one document. */
type Form = "bytes" | "events" | "document";

function formOf(provider: NetworkProvider, byte: number): Form {
  if (documentBytes.has(byte)) return "document";
  return speaksChat[provider] ? "events" : "bytes";
}

function repairedBody(
  body: ReadableStream<Uint8Array>,
  provider: NetworkProvider,
  toolNames: readonly string[],
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const repair = new Repair(provider, toolNames);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let form: Form | null = null;
  let document = "";

  /** The bytes to pass on for the received ones; null if more are needed first. */
  const next = (value: Uint8Array): Uint8Array | null => {
    const first = firstByte(value);
    form ??= first === null ? null : formOf(provider, first);
    if (form === null) return null;
    if (form === "bytes") return value;
    const text = decoder.decode(value, { stream: true });
    if (form === "events") return encoded(repair.events(text, false));
    document += text;
    if (document.length > longestDocument) throw new Error("The server answered with a document that is too long.");
    return null;
  };
  const encoded = (text: string): Uint8Array | null => (text === "" ? null : encoder.encode(text));
  const end = (): Uint8Array | null => {
    const rest = decoder.decode();
    if (form === "events") return encoded(repair.events(rest, true));
    return form === "document" ? encoded(repair.stream(document + rest)) : null;
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        const sent = done ? end() : next(value);
        if (sent !== null) controller.enqueue(sent);
        if (done) return controller.close();
        if (sent !== null) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

type Asked = Parameters<typeof globalThis.fetch>[0];

/** A fetch whose successful responses the provider's package can read. */
export function repairedFetch(fetch: typeof globalThis.fetch, provider: NetworkProvider): typeof globalThis.fetch {
  const repaired = async (input: Asked, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (!response.ok || body === null) return response;
    return new Response(repairedBody(body, provider, offeredTools(init?.body)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
  return repaired as typeof globalThis.fetch;
}
