// Creates a fetch whose successful responses are streams that the AI SDK's packages can read. The events of a stream are repaired by the
// rules of their protocol (`stream-repair.ts`), and keep-alives are left out. A response that is one document becomes a stream, so that its
// text or its error is not lost. Invariant: after the finish reason of an answer no event ends the answer with an error.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";

import { TooManyElements } from "./answer-bounds.ts";
import { answerResponse, type AnswerBytes } from "./answer-response.ts";
import type { DirectDeltas } from "./direct-deltas.ts";
import { errorEvent, errorOfDocument } from "./error-event.ts";
import { EventCutter, type EventText } from "./event-text.ts";
import { typeOfRefusal, unreadableType } from "./failure-facts.ts";
import { FinishedAnswer } from "./finished-answer.ts";
import { answerPieces, refusalBody } from "./observed-fetch.ts";
import type { BodyPiece, BodyPieces, Exchange, Watch } from "./observed-fetch.ts";
import type { ProviderProfile } from "./provider/provider-profile.ts";
import { isKeepAlive, noRepair, type StreamRepair } from "./stream-repair.ts";

// A response that is one document is held in memory until it is complete.
const longestDocument = 8 * 1024 * 1024;

/** Repairs one response. */
class Repair {
  readonly #profile: ProviderProfile;
  readonly #exchange: Exchange;
  readonly #stream: StreamRepair;
  readonly #direct: DirectDeltas | null;
  readonly #cutter = new EventCutter();
  readonly #finish = new FinishedAnswer();
  /** Events that were received and not repaired yet, in reverse. */
  #waiting: EventText[] = [];
  #isLast = false;

  constructor({ profile, toolNames, direct }: RepairOptions, exchange: Exchange) {
    this.#profile = profile;
    this.#exchange = exchange;
    this.#direct = direct;
    const repair = profile.streamRepair?.(toolNames) ?? noRepair;
    this.#stream = direct?.after(repair) ?? repair;
  }

  /** Whether events wait to be repaired. */
  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** Repairs a piece of a stream. `last`: no text follows. */
  events(text: string, last: boolean): string {
    this.#waiting = this.#cutter.take(text, last).flatMap(separated).reverse();
    this.#isLast = last;
    return this.more();
  }

  /** Repairs the events of a piece: all of them, or those up to a plain delta after which the next one can be direct. */
  more(): string {
    const events: string[] = [];
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      events.push(this.#event(next));
      if (this.hasMore && this.#direct?.isAwaited === true) return events.join("");
    }
    if (this.#isLast) events.push(...(this.#stream.end?.() ?? []).map((data) => `data: ${data}\n\n`));
    this.#isLast = false;
    return events.join("");
  }

  #event({ text, data, head, error }: EventText): string {
    if (error !== null) return this.#isIgnored(error) ? "" : this.#failed(parseJson(error) ?? error);
    if (data === null) return text;
    if (isKeepAlive(data) || this.#isIgnored(data)) return "";
    this.#finish.read(data);
    if (mayComplete.test(data)) this.#readEnd(data);
    if (isErrorText(head, data)) return this.#failed(data);
    const failed = reportInList(data);
    if (failed !== null) return this.#failed(failed);
    const repaired = this.#repaired(data);
    if (typeof repaired === "string") return repaired;
    if (repaired.length === 1 && repaired[0] === data) return text;
    // Data that was sent in several lines is sent in several lines again.
    return repaired.map((entry) => `${head}data: ${entry.replaceAll("\n", "\ndata: ")}\n\n`).join("");
  }

  /** Records the last event of a protocol. The lines of the body show it only if its data is one line. */
  #readEnd(data: string): void {
    const { type } = fieldsOf(parseJson(data));
    this.#exchange.ended ||= type === "response.completed" || type === "message_stop";
  }

  /** The data of the repaired events; an error event in place of an event with too many elements. */
  #repaired(data: string): string[] | string {
    try {
      return this.#stream.take(data);
    } catch (thrown) {
      if (thrown instanceof TooManyElements) return this.#failed(unreadable(thrown.message));
      throw thrown;
    }
  }

  /** Whether an event after the finish reason is an error, or a piece of an event. Such an event is ignored and noted for the log. */
  #isIgnored(data: string): boolean {
    if (!this.#finish.isFinished || data.trim() === "[DONE]") return false;
    const value = parseJson(data);
    const isIgnored = !isObject(value) || errorEvent(value) !== null || value["type"] === "error";
    if (isIgnored)
      this.#exchange.warnings.push(`After the end of the answer the server sent: ${data.slice(0, longestNote)}`);
    return isIgnored;
  }

  /** Converts a response that is one document to the events of a stream. */
  stream(text: string): string {
    const value = parseJson(text);
    // Some servers write a line before the first event.
    if (value === undefined && /^data:/m.test(text)) return this.events(text, true);
    const objects = value === undefined ? objectsIn(text.replace(/\[DONE\]\s*$/, "")) : null;
    if (objects !== null) return this.events(objects.map((object) => `data: ${object}\n\n`).join(""), true);
    if (value === undefined) return this.#failed(unreadable(pageMessage(text)));
    const events = this.#profile.eventsOfDocument?.(value) ?? null;
    if (events !== null) return this.events(events, true);
    const error = errorOfDocument(value);
    if (error !== null) return this.#failed(refusalOf(error["error"]));
    return this.#failed(unreadable("The server answered with one document in place of a stream."));
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
  const fields = isObject(error) ? error : { message: error };
  return { error: { ...fields, type: typeOfRefusal(fields["code"], fields["type"]) } };
}

/** A match only means that the data is parsed: the text of the model may contain the same words. */
const mayComplete = /"(?:response\.completed|message_stop)"/;

/** The longest piece of an ignored event in the log. */
const longestNote = 300;

/**
 * Pieces of data that are each an event, because the server sent no empty lines between them, or several objects in one line. Some gateways
 * write the name of the field twice.
 */
function separated(event: EventText): EventText[] {
  const { data, head } = event;
  const isOdd = data !== null && (/^\s*data:|\}[ \t]*\{/.test(data) || data.includes("\n"));
  if (!isOdd || parseJson(data) !== undefined) return [event];
  const lines = data.split("\n").map((line) => line.replace(/^(?:\s*data:)+ ?/, ""));
  const areEvents = lines.every((line) => isKeepAlive(line) || line.trim() === "[DONE]" || isObject(parseJson(line)));
  const pieces = areEvents ? lines : objectsIn(lines.join("\n"));
  return pieces === null
    ? [event]
    : pieces.map((each) => ({ text: `data: ${each}\n\n`, data: each, head, error: null }));
}

/** The texts of JSON objects that follow each other; null if the text has anything else, or only one object. */
function objectsIn(text: string): string[] | null {
  const objects: string[] = [];
  let [depth, begin, end] = [0, 0, 0];
  for (const { 0: part, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}]/gs)) {
    if (part === "{" && depth === 0) {
      if (text.slice(end, index).trim() !== "") return null;
      begin = index;
    }
    if (part.length > 1) continue;
    depth += part === "{" ? 1 : -1;
    if (depth > 0) continue;
    if (depth < 0) return null;
    end = index + 1;
    // The data of an event is one line.
    objects.push(text.slice(begin, end).replaceAll(/[\r\n]+/g, " "));
  }
  const isComplete = objects.length > 1 && depth === 0 && text.slice(end).trim() === "";
  return isComplete && objects.every((object) => parseJson(object) !== undefined) ? objects : null;
}

/** The error of a chunk that is a list, in which Google sends errors; null for any other chunk. */
function reportInList(data: string): Fields | null {
  if (!/^\s*\[\s*\{/.test(data)) return null;
  const [first] = listOf(parseJson(data));
  return isObject(first) ? errorEvent(first) : null;
}

/** Whether the data of an event is an error in plain text. */
function isErrorText(head: string, data: string): boolean {
  return /^event:\s*error\s*$/m.test(head) && data.trim() !== "[DONE]" && parseJson(data) === undefined;
}

/** Returns the fields of an error for a response that is neither a stream nor an error of the provider. */
function unreadable(message: string): Fields {
  return { error: { type: unreadableType, message } };
}

/** The message for a response of text: an HTML page, which a proxy or a login portal may send, or plain text. */
function pageMessage(text: string): string {
  const isPage = text.trimStart().startsWith("<");
  // Only the beginning is shown. The expressions take quadratic time, so a longer text is not given to them.
  const beginning = text.slice(0, 8192);
  const withoutTags = isPage
    ? beginning.replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ")
    : beginning;
  const visible = withoutTags.replace(/\s+/g, " ").trim().slice(0, 300);
  return `The server answered with ${isPage ? "a page" : "text"} in place of a stream: ${visible}`;
}

const lineFeed = 0x0a;

/** The form of a response: events, or one document. */
type Form = "events" | "document";

const firstLine = /^\uFEFF?\s*(?:(?:data|event|id|retry|error)?:|(?:data|event|id|retry)[\r\n])/;
const beginningOfLine = /^\uFEFF?\s*(?:d|da|dat|data|e|ev|eve|even|event|er|err|erro|error|i|id|r|re|ret|retr|retry)?$/;

/** The form of a response that begins with this text; null if more text is needed. A document may begin with any text but a field's name. */
function formOf(text: string): Form | null {
  if (firstLine.test(text)) return "events";
  return beginningOfLine.test(text) ? null : "document";
}

function repairedBytes(pieces: BodyPieces, options: RepairOptions, exchange: Exchange): AnswerBytes {
  const repair = new Repair(options, exchange);
  const encoder = new TextEncoder();
  let form: Form | null = null;
  /** The text of a document, or of a response whose form is not known yet. */
  let document = "";
  /**
   * Whether the last piece ended with a line break. Then no character is split, and the bytes and the text of the next piece are the same.
   */
  let isLineEnd = true;

  /** Returns the bytes to pass on for the received ones; null if more bytes are needed first. */
  const next = ({ bytes, text }: BodyPiece): Uint8Array | null => {
    const wasLineEnd = isLineEnd;
    isLineEnd = bytes.at(-1) === lineFeed;
    if (form === "events") {
      const sent = repair.events(text, false);
      return sent === text && wasLineEnd && isLineEnd ? bytes : encoded(sent);
    }
    document += text;
    if (document.length > longestDocument) throw new Error("The server answered with a document that is too long.");
    form ??= formOf(document);
    return form === "events" ? encoded(repair.events(document, false)) : null;
  };
  const encoded = (text: string): Uint8Array | null => (text === "" ? null : encoder.encode(text));
  const end = (): Uint8Array | null => {
    if (form === "events") return encoded(repair.events("", true));
    return document.trim() === "" ? null : encoded(repair.stream(document));
  };

  let isOver = false;
  return {
    async next() {
      while (!isOver || repair.hasMore) {
        if (repair.hasMore) {
          await options.direct?.ready();
          const more = encoded(repair.more());
          if (more !== null) return more;
          continue;
        }
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

/** The provider whose answers are repaired, the names of the tools that the request offers, and the direct path of the request. */
interface RepairOptions {
  profile: ProviderProfile;
  toolNames: readonly string[];
  direct: DirectDeltas | null;
}

/** Creates a fetch whose successful responses the provider's package can read, and whose bodies `watch` observes. */
export function repairedFetch(
  fetch: typeof globalThis.fetch,
  watch: Watch,
  options: RepairOptions,
): typeof globalThis.fetch {
  const repaired = async (input: FetchInput, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const body: ReadableStream<Uint8Array> | null = response.body;
    const { status, statusText, headers } = response;
    // The package has no class for a success without a body, such as 204. An empty stream is an answer that broke off.
    if (body === null) return response.ok ? new Response("", { headers }) : response;
    if (!response.ok) return new Response(refusalBody(body, watch), { status, statusText, headers });
    const pieces = answerPieces(body, watch);
    // The headers of a successful response are in `watch.exchange`.
    return answerResponse(response, repairedBytes(options.direct?.paced(pieces) ?? pieces, options, watch.exchange));
  };
  return repaired as typeof globalThis.fetch;
}
