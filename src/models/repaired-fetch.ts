// Creates a fetch whose successful responses are streams that the AI SDK's packages can read. Chunks of Chat Completions are repaired
// (`chat-repair.ts`). A response that is one document becomes a stream, so that its text or its error is not lost. Streams of other
// protocols pass unchanged, byte for byte.

import { isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";

import { answerResponse, type AnswerBytes } from "./answer-response.ts";
import { ChatRepair } from "./chat-repair.ts";
import { errorEvent } from "./error-event.ts";
import { EventCutter, type EventText } from "./event-text.ts";
import { unreadableType } from "./failure-facts.ts";
import { answerPieces, refusalBody, type BodyPiece, type BodyPieces, type Watch } from "./observed-fetch.ts";
import type { ProviderProfile } from "./provider/provider-profile.ts";

// A response that is one document is held in memory until it is complete.
const longestDocument = 8 * 1024 * 1024;

/** Repairs one response. */
class Repair {
  readonly #profile: ProviderProfile;
  readonly #chat: ChatRepair;
  readonly #cutter = new EventCutter();

  constructor(profile: ProviderProfile, toolNames: readonly string[]) {
    this.#profile = profile;
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
    if (error !== null) return this.#failed(parseJson(error) ?? error);
    if (data === null) return text;
    const repaired = this.#chat.take(data);
    if (repaired.length === 1 && repaired[0] === data) return text;
    return repaired.map((entry) => `${head}data: ${entry}\n\n`).join("");
  }

  /** Converts a response that is one document to the events of a stream. */
  stream(text: string): string {
    const value = parseJson(text);
    if (value === undefined) return this.#failed(unreadable(withoutTags(text)));
    const error = isObject(value) ? errorEvent(value) : null;
    if (error !== null) return this.#failed(refusalOf(error["error"]));
    if (this.#profile.speaksChatCompletions && isObject(value) && isObject(listOf(value["choices"])[0])) {
      return this.events(`data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`, true);
    }
    const events = this.#profile.eventsOfDocument?.(value) ?? null;
    return events ?? this.#failed(unreadable("The server answered with one document in place of a stream."));
  }

  /** Returns an error event in the form of the provider's streaming protocol. */
  #failed(value: unknown): string {
    const shaped = errorEvent(isObject(value) ? value : { error: value });
    const { error } = shaped ?? { error: { message: String(value) } };
    return this.#profile.errorEvent(error);
  }
}

/**
 * The fields of an error that came in place of a stream. No answer was interrupted, so the request is retried only if the fields name a
 * class of errors that is retried.
 */
function refusalOf(error: unknown): Fields {
  return { error: { type: "invalid_answer", ...(isObject(error) ? error : { message: error }) } };
}

/** Returns the fields of an error for a response that is neither a stream nor an error of the provider. */
function unreadable(message: string): Fields {
  return { error: { type: unreadableType, message } };
}

/** The text of an HTML page, which a proxy or a login portal may send in place of the provider's answer. */
function withoutTags(text: string): string {
  // Only the beginning is shown. The expressions take quadratic time, so a longer text is not given to them.
  const visible = text
    .slice(0, 8192)
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return `The server answered with a page in place of a stream: ${visible.slice(0, 300)}`;
}

/** The first byte that is neither white space nor part of a byte order mark; null if there is none. */
function firstByte(bytes: Uint8Array): number | null {
  const found = bytes.find((byte) => ![0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf].includes(byte));
  return found ?? null;
}

const lineFeed = 0x0a;

// `{`, `[` and `<`: a document may begin with them, a line of an event stream cannot.
const documentBytes = new Set([0x7b, 0x5b, 0x3c]);

/** The form of a response: a stream that passes unchanged, events of Chat Completions, or one document. */
type Form = "bytes" | "events" | "document";

function formOf(profile: ProviderProfile, byte: number): Form {
  if (documentBytes.has(byte)) return "document";
  return profile.speaksChatCompletions ? "events" : "bytes";
}

function repairedBytes(pieces: BodyPieces, profile: ProviderProfile, toolNames: readonly string[]): AnswerBytes {
  const repair = new Repair(profile, toolNames);
  const encoder = new TextEncoder();
  let form: Form | null = null;
  let document = "";
  /**
   * Whether the last piece ended with a line break. Then no character is split, and the bytes and the text of the next piece are the same.
   */
  let isLineEnd = true;

  /** Returns the bytes to pass on for the received ones; null if more bytes are needed first. */
  const next = ({ bytes, text }: BodyPiece): Uint8Array | null => {
    const wasLineEnd = isLineEnd;
    isLineEnd = bytes.at(-1) === lineFeed;
    if (form === null) {
      const first = firstByte(bytes);
      if (first === null) return null;
      form = formOf(profile, first);
    }
    if (form === "bytes") return bytes;
    if (form === "events") {
      const sent = repair.events(text, false);
      return sent === text && wasLineEnd && isLineEnd ? bytes : encoded(sent);
    }
    document += text;
    if (document.length > longestDocument) throw new Error("The server answered with a document that is too long.");
    return null;
  };
  const encoded = (text: string): Uint8Array | null => (text === "" ? null : encoder.encode(text));
  const end = (): Uint8Array | null => {
    if (form === "events") return encoded(repair.events("", true));
    return form === "document" ? encoded(repair.stream(document)) : null;
  };

  let isOver = false;
  return {
    async next() {
      while (!isOver) {
        const piece = await pieces.read();
        isOver = piece === null;
        const sent = piece === null ? end() : next(piece);
        if (sent !== null) return sent;
      }
      return null;
    },
    cancel: (reason) => pieces.cancel(reason),
  };
}

type FetchInput = Parameters<typeof globalThis.fetch>[0];

/**
 * Creates a fetch whose successful responses the provider's package can read, and whose bodies `watch` observes. `toolNames` are the tools
 * that the request offers.
 */
export function repairedFetch(
  fetch: typeof globalThis.fetch,
  watch: Watch,
  { profile, toolNames }: { profile: ProviderProfile; toolNames: readonly string[] },
): typeof globalThis.fetch {
  const repaired = async (input: FetchInput, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (body === null) return response;
    const { status, statusText, headers } = response;
    if (!response.ok) return new Response(refusalBody(body, watch), { status, statusText, headers });
    // The headers of a successful response are in `watch.exchange`.
    return answerResponse(response, repairedBytes(answerPieces(body, watch), profile, toolNames));
  };
  return repaired as typeof globalThis.fetch;
}
