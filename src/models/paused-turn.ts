// Continues turns that Anthropic pauses (`stop_reason: "pause_turn"`): the answer is sent back as it is, and the events of the next response
// continue those of the first, so that the package reads one answer. Invariants: content blocks are numbered through all responses; the
// token counts are the sums of all responses, also those of a turn that fails; at most `mostPauses` requests follow the first; a turn whose next request the caller does not allow
// ends as an answer at its token limit.

import type { Usage } from "#contract/usage.ts";
import { textTokens } from "#core/model/estimate-tokens.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { answerResponse } from "./answer-response.ts";
import { EventCutter, type EventText } from "./event-text.ts";
import type { ProviderProfile } from "./provider/provider-profile.ts";

type Fetch = typeof globalThis.fetch;
type FetchInput = Parameters<Fetch>[0];

const mostPauses = 10;
type Sums = Record<
  "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens",
  number
>;
type Continues = NonNullable<ModelRequest["continues"]>;

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

/** The content blocks of the events of one response, as a request sends them back. */
function blocksOf(events: readonly Fields[]): Fields[] {
  const blocks = new Map<unknown, Fields>();
  const citations = new Map<unknown, unknown[]>();
  const inputs = new Map<unknown, string>();
  for (const { type, index, content_block, delta } of events) {
    if (type === "content_block_start" && isObject(content_block)) blocks.set(index, { ...content_block });
    const block = blocks.get(index);
    if (type !== "content_block_delta" || block === undefined) continue;
    const { partial_json, citation, type: _kind, ...texts } = fieldsOf(delta);
    if (typeof partial_json === "string") inputs.set(index, (inputs.get(index) ?? "") + partial_json);
    if (citation !== undefined) {
      const cited = citations.get(index) ?? [...listOf(block["citations"])];
      cited.push(citation);
      citations.set(index, cited);
    }
    for (const [name, text] of Object.entries(texts)) {
      const before = block[name];
      if (typeof text === "string") block[name] = (typeof before === "string" ? before : "") + text;
    }
  }
  for (const [index, cited] of citations) {
    const block = blocks.get(index);
    if (block !== undefined) block["citations"] = cited;
  }
  for (const [index, text] of inputs) {
    const block = blocks.get(index);
    if (block !== undefined && text !== "") block["input"] = parseJson(text) ?? {};
  }
  return [...blocks.values()].filter(
    ({ type, text }) => type !== "text" || (typeof text === "string" && isVisible(text)),
  );
}

const zeroSums: Sums = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

function eachSum(count: (name: keyof Sums) => number): Sums {
  return {
    input_tokens: count("input_tokens"),
    output_tokens: count("output_tokens"),
    cache_read_input_tokens: count("cache_read_input_tokens"),
    cache_creation_input_tokens: count("cache_creation_input_tokens"),
  };
}

/** Adds the counts of a response. */
function added(sums: Sums, usage: Fields): Sums {
  return eachSum((name) => sums[name] + numberOf(usage[name]));
}

/** The counts of a response after an event of it. An event has the counts of its whole response so far, or only some of them. */
function updated(counts: Sums, usage: Fields): Sums {
  return eachSum((name) => Math.max(counts[name], numberOf(usage[name])));
}

/** The counts of the prompt in the first event of a response. Its count of the answer includes only the first word. */
function promptOf({ message }: Fields): Fields {
  const { output_tokens: _early, ...prompt } = fieldsOf(fieldsOf(message)["usage"]);
  return prompt;
}

/** The text, the thinking and the arguments in the events of one response. */
function writtenIn(events: readonly Fields[]): string {
  return events
    .filter(({ type }) => type === "content_block_delta")
    .flatMap(({ delta }) => ["text", "thinking", "partial_json"].map((name) => fieldsOf(delta)[name]))
    .filter((piece) => typeof piece === "string")
    .join("");
}

/** The counts in the form of the model port. */
function usageOf(sums: Sums): Usage {
  const { input_tokens: input, output_tokens: output } = sums;
  const { cache_read_input_tokens: cache_read, cache_creation_input_tokens: cache_write } = sums;
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}

/** The events of all responses of one turn. */
class PausedTurn {
  /** The data of the current response's events. They are parsed only if the turn pauses. */
  #data: string[] = [];
  #content: Fields[] = [];
  /** The number of the next content block. */
  #base = 0;
  /** The counts of the responses before the current one, and of the current one. Those of the first response are read at its pause. */
  #before = zeroSums;
  #running = zeroSums;
  #pauses = 0;
  /** The current response paused the turn. */
  isPaused = false;
  /** A pause was passed on as the end of the turn. */
  #hasEnded = false;
  /** The caller did not allow the next request. */
  #isCut = false;
  readonly #continues: Continues;

  constructor(continues: Continues) {
    this.#continues = continues;
  }

  /**
   * The tokens of all responses so far; null before the first pause. The provider counts the tokens of an answer at its end, so the text of
   * a response without that count is estimated.
   */
  get usage(): Usage | null {
    if (this.#pauses === 0) return null;
    const sums = added(this.#before, this.#running);
    if (this.isPaused || this.#running.output_tokens > 0) return usageOf(sums);
    const written = writtenIn(this.#data.map((data) => fieldsOf(parseJson(data))));
    return usageOf(added(sums, { output_tokens: textTokens(written) }));
  }

  /** Reads an event. Returns the text to pass on. */
  read({ text, data }: EventText): string {
    if (data === null) return text;
    if (this.isPaused) return "";
    this.#data.push(data);
    if (!this.#hasEnded && data.includes('"pause_turn"') && this.#pause(data)) return "";
    return this.#pauses === 0 && !this.#isCut ? text : this.#continued(data, text);
  }

  /** The body of the next request. */
  nextBody(body: Fields): string {
    this.isPaused = false;
    this.#data = [];
    const paused = { role: "assistant", content: this.#content };
    return JSON.stringify({ ...body, messages: [...listOf(body["messages"]), paused] });
  }

  /** Whether an event pauses the turn. A turn with calls for the client waits for their results, so it is not continued. */
  #pause(data: string): boolean {
    const { type, delta, usage } = fieldsOf(parseJson(data));
    if (type !== "message_delta" || fieldsOf(delta)["stop_reason"] !== "pause_turn") return false;
    const events = this.#data.map((entry) => fieldsOf(parseJson(entry)));
    const blocks = blocksOf(events);
    const isFinal = blocks.length === 0 || blocks.some((block) => block["type"] === "tool_use");
    this.#hasEnded = isFinal || this.#pauses === mostPauses;
    if (this.#hasEnded) return false;
    const first = events.find((event) => event["type"] === "message_start");
    // The prompt of a later response was counted when that response began.
    const began = this.#pauses === 0 ? updated(zeroSums, promptOf(first ?? {})) : this.#running;
    const sums = added(this.#before, updated(began, fieldsOf(usage)));
    const texts = sums.output_tokens > 0 ? [] : [JSON.stringify([...this.#content, ...blocks])];
    this.#isCut = !this.#continues({ usage: usageOf(sums), texts });
    this.#hasEnded = this.#isCut;
    if (this.#isCut) return false;
    this.#before = sums;
    this.#running = zeroSums;
    this.#content.push(...blocks);
    this.#base += events.filter((event) => event["type"] === "content_block_start").length;
    this.#pauses += 1;
    this.isPaused = true;
    return true;
  }

  /** An event of a later response, with the numbers and counts of the whole turn. */
  #continued(data: string, text: string): string {
    const event = fieldsOf(parseJson(data));
    const { type, index } = event;
    if (type === "message_start") {
      this.#running = updated(this.#running, promptOf(event));
      return "";
    }
    if (typeof index === "number") return eventText({ ...event, index: index + this.#base });
    if (type !== "message_delta") return text;
    const usage = fieldsOf(event["usage"]);
    this.#running = updated(this.#running, usage);
    const sums = this.#pauses === 0 ? {} : added(this.#before, this.#running);
    const delta = fieldsOf(event["delta"]);
    const end = this.#isCut && delta["stop_reason"] === "pause_turn" ? { ...delta, stop_reason: "max_tokens" } : delta;
    return eventText({ ...event, delta: end, usage: { ...usage, ...sums } });
  }
}

function eventText(event: Fields): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

const longestRefusal = 2000;

/** The event for a response that refuses to continue the turn. */
async function refusalEvent(response: Response, { errorEvent }: ProviderProfile): Promise<string> {
  const text = await response.text();
  const { error } = fieldsOf(parseJson(text));
  const plain = { type: "api_error", message: text.slice(0, longestRefusal) || "The turn could not be continued." };
  return errorEvent(isObject(error) ? error : plain);
}

/**
 * Creates a fetch whose responses contain the events of whole turns. `continues` is called before each further request of a turn; if it
 * returns false, the turn ends. `began` receives a function that returns the tokens of all responses of a turn so far; null for a turn that
 * did not pause.
 */
export function wholeTurnFetch(
  fetch: Fetch,
  profile: ProviderProfile,
  { continues = () => true, began }: { continues?: Continues | undefined; began: (usage: () => Usage | null) => void },
): Fetch {
  const whole = async (input: FetchInput, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const body = typeof init?.body === "string" ? parseJson(init.body) : undefined;
    if (!response.ok || response.body === null || !isObject(body)) return response;
    const turn = new PausedTurn(continues);
    began(() => turn.usage);
    const encoder = new TextEncoder();
    let reader: ReadableStreamDefaultReader<Uint8Array> | null = response.body.getReader();
    let cutter = new EventCutter();
    let decoder = new TextDecoder();

    const continued = async (): Promise<Uint8Array | null> => {
      const next = await fetch(input, { ...init, body: turn.nextBody(body) });
      cutter = new EventCutter();
      decoder = new TextDecoder();
      reader = next.ok && next.body !== null ? next.body.getReader() : null;
      return reader === null ? encoder.encode(await refusalEvent(next, profile)) : new Uint8Array();
    };
    return answerResponse(response, {
      async next() {
        if (reader === null) return null;
        const { done, value } = await reader.read();
        const events = cutter.take(done ? "" : decoder.decode(value, { stream: true }), done);
        const text = events.map((event) => turn.read(event)).join("");
        if (!done || text !== "") return encoder.encode(text);
        return turn.isPaused ? continued() : null;
      },
      cancel: async (reason) => reader?.cancel(reason),
    });
  };
  return whole as Fetch;
}
