// Repairs chunks of Chat Completions, so that the AI SDK's packages can read what servers send. Handles every known deviation from the
// protocol: errors of other shapes, missing fields, tool calls with wrong or missing numbers, tool names that arrive in pieces. Invariant:
// a chunk that follows the protocol passes unchanged.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";

import { assertFew, mostInEvent } from "./answer-bounds.ts";
import { errorEvent } from "./error-event.ts";
import { isFinishReason } from "./finish-reason.ts";
import { byType, list, needed, number, object, or, text, type Fit } from "./fitted-chunk.ts";
import { areLogprobs } from "./responses-fields.ts";
import type { StreamRepair } from "./stream-repair.ts";

/** Whether data is the end mark, or the beginning of it at the end of a body. */
function isDone(data: string): boolean {
  const mark = data.trim();
  return mark.length > 1 && "[DONE]".startsWith(mark);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The received part of a tool call. */
interface Call {
  /** The number of the tool call in the repaired chunks. */
  index: number;
  wireIndex: number | null;
  id: string | null;
  name: string;
  /** Arguments received before the tool's name was complete; null once the tool call was passed on. */
  waiting: string | null;
}

// Most chunks hold only a few characters of text. Testing them with a regular expression costs less than parsing them twice.
const usual = /"choices":\s*\[\s*\{/;
const worthReading = new RegExp(
  [
    '"(?:tool_calls|function_call|error|message|detail)":',
    '"role":(?!\\s*"assistant")',
    '"finish_reason":\\s*[^n\\s]',
    // Fields of a type that a package may refuse.
    '"(?:usage|logprobs|annotations)":\\s*[^n\\s]',
    '"(?:reasoning|reasoning_content)":\\s*[^"n\\s]',
    '"(?:id|model)":\\s*[^"\\s]',
    '"created":\\s*[^\\d\\s]',
    '"refusal":\\s*"[^"]',
  ].join("|"),
);

const citation = object({
  url: needed(text),
  title: or(text, ""),
  start_index: or(number, 0),
  end_index: or(number, 0),
});
const annotation = byType(new Map<unknown, Fit>([["url_citation", object({ url_citation: needed(citation) })]]));
const probabilities: Fit = (value) =>
  isObject(value) && areLogprobs(value["content"]) && areLogprobs(value["refusal"]) ? value : undefined;
/** What the packages read of a chunk, apart from tool calls. */
const fitted = object({
  id: or(text),
  model: or(text),
  created: number,
  choices: list(
    object({
      index: number,
      logprobs: probabilities,
      delta: object({
        reasoning: text,
        reasoning_content: text,
        annotations: list(annotation),
      }),
    }),
  ),
  usage: object({
    prompt_tokens: number,
    completion_tokens: number,
    total_tokens: or(number, 0),
    prompt_tokens_details: object({ cached_tokens: or(number, 0), cache_write_tokens: number }),
    completion_tokens_details: object({
      reasoning_tokens: or(number, 0),
      accepted_prediction_tokens: number,
      rejected_prediction_tokens: number,
    }),
    cost: or(number),
  }),
});

/** The longest data that cannot have a list above the bound: each element has a character and a comma. */
const longestOfFew = 2 * mostInEvent;

/**
 * Throws if a list in a chunk is above the bound: one of the chunk itself, such as `citations`, or one of a choice's delta or message, such
 * as `reasoning_details`, for each of whose elements a package may create a part. The probabilities of a choice are not bounded: they have an
 * element for each token, and no part.
 */
function assertFewElements(chunk: Fields): void {
  assertFewIn(chunk);
  for (const choice of listOf(chunk["choices"])) {
    const { delta, message } = fieldsOf(choice);
    assertFewIn(fieldsOf(delta));
    assertFewIn(fieldsOf(message));
  }
}

function assertFewIn(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    assertFew(
      listOf(value).length,
      name === "tool_calls" ? "an event with too many calls" : `an event with too many ${name.slice(0, 40)}`,
    );
  }
}

/** Repairs the chunks of one answer, in order. `toolNames` are the names of the tools that the request offers. */
export class ChatRepair implements StreamRepair {
  readonly #toolNames: readonly string[];
  readonly #hasRefusals: boolean;
  /** The last tool call of each number of the server, the first one of each id, and the last one of all. */
  readonly #byNumber = new Map<number | null, Call>();
  readonly #byId = new Map<string | null, Call>();
  #last: Call | null = null;
  #count = 0;
  /** The tool calls that were not passed on. */
  readonly #held = new Set<Call>();
  #finished = false;
  #changed = false;
  #isRefused = false;

  /** `hasRefusals`: the package reads refusals. Otherwise a refusal is sent on as the text of an answer that was filtered. */
  constructor(toolNames: readonly string[], { hasRefusals = true }: { hasRefusals?: boolean } = {}) {
    this.#toolNames = toolNames;
    this.#hasRefusals = hasRefusals;
  }

  /** Repairs the data of one event. Returns the data of the events to pass on: none, one or several. */
  take(data: string): string[] {
    // Some servers end with `[DONE]` and send no finish reason. The package `@ai-sdk/openai-compatible` reports that as an error, and tool
    // calls whose name is incomplete need a last chunk. So a finish reason is added here.
    if (isDone(data)) return this.#finished ? ["[DONE]"] : [this.#end(), "[DONE]"];
    if (data.length <= longestOfFew && usual.test(data) && !worthReading.test(data)) return [data];
    const chunk = parseJson(data);
    if (!isObject(chunk)) return [data];
    assertFewElements(chunk);
    const fit = fieldsOf(fitted(chunk));
    this.#changed = fit !== chunk;
    const repaired = this.#chunk(fit);
    return [this.#changed ? JSON.stringify(repaired) : data];
  }

  #end(): string {
    return JSON.stringify(this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  }

  #chunk(given: Fields): Fields {
    const error = errorEvent(given);
    if (error !== null) {
      this.#changed ||= error !== given;
      return error;
    }
    // A field `error` that reports nothing, such as null. The packages end an answer at a chunk that has the field.
    const { error: nothing, ...fields } = given;
    this.#changed ||= nothing !== undefined;
    const chunk = nothing === undefined ? given : fields;
    const { choices } = chunk;
    if (!Array.isArray(choices)) {
      this.#changed = true;
      return { ...chunk, choices: [] };
    }
    const [first, ...others] = choices as unknown[];
    if (!isObject(first)) return chunk;
    // OpenRouter may send the error of a provider in the choice.
    const failed = isObject(first["error"]) ? errorEvent({ error: first["error"] }) : null;
    if (failed !== null) {
      this.#changed = true;
      return failed;
    }
    return { ...chunk, choices: [this.#choice(first), ...others] };
  }

  #choice(choice: Fields): Fields {
    const { delta, message, finish_reason } = choice;
    const ends = isFinishReason(finish_reason);
    const isReason = ends || finish_reason === undefined || finish_reason === null;
    const isRefusal = ends && this.#isRefused && finish_reason === "stop";
    const given = isReason && !isRefusal ? choice : { ...choice, finish_reason: isRefusal ? "content_filter" : null };
    this.#changed ||= given !== choice;
    this.#finished ||= ends;
    // Some servers send a complete answer as one chunk. It has `message` where a chunk of a stream has `delta`.
    const isWhole = !isObject(delta) && isObject(message);
    this.#changed ||= isWhole;
    const part = isObject(delta) ? delta : isObject(message) ? message : ends ? {} : null;
    if (part === null) return given;
    return { ...given, delta: this.#delta(part, ends) };
  }

  #delta(delta: Fields, ends: boolean): Fields {
    const { role, function_call: called, ...rest } = delta;
    // The field for a call before `tool_calls` existed.
    const tool_calls =
      isObject(called) && !Array.isArray(delta["tool_calls"]) ? [{ index: 0, function: called }] : delta["tool_calls"];
    const { refusal } = delta;
    if (!this.#hasRefusals && isText(refusal) && !isText(delta["content"])) {
      this.#changed = true;
      this.#isRefused = true;
      rest["content"] = refusal;
    }
    const kept: Fields = this.#isRefused
      ? { ...rest }
      : role === "assistant" || role === undefined || role === null
        ? { ...delta }
        : rest;
    if (kept === rest) this.#changed = true;
    const pieces = Array.isArray(tool_calls) ? tool_calls.flatMap((piece: unknown) => this.#piece(piece)) : [];
    const named = ends ? [...pieces, ...this.#releaseHeld()] : pieces;
    if (Array.isArray(tool_calls) || named.length > 0) kept["tool_calls"] = named;
    return kept;
  }

  /** Returns the pieces to pass on, with their numbers; none while the name of the tool call is incomplete. */
  #piece(piece: unknown): Fields[] {
    if (!isObject(piece)) return [];
    const given = isObject(piece["function"]) ? piece["function"] : piece;
    const name = isText(given["name"]) ? given["name"] : "";
    const text = argumentsText(given["arguments"]);
    const wireIndex = typeof piece["index"] === "number" ? piece["index"] : null;
    const id = isText(piece["id"]) ? piece["id"] : null;
    const known = this.#find(wireIndex, id, name);
    if (known === null) return this.#begin(piece, { wireIndex, id, name, text });
    if (known.waiting !== null) {
      this.#changed = true;
      known.name = joinedName(known.name, name);
      known.waiting += text;
      const isWhole = known.waiting !== "" || this.#isWhole(known.name);
      return isWhole ? this.#release(known) : [];
    }
    const isType = piece["type"] === undefined || piece["type"] === "function";
    const same = known.index === wireIndex && name === "" && given["arguments"] === text && isType;
    if (same) return [piece];
    this.#changed = true;
    return [{ index: known.index, function: { arguments: text } }];
  }

  #begin(
    piece: Fields,
    { wireIndex, id, name, text }: { wireIndex: number | null; id: string | null; name: string; text: string },
  ): Fields[] {
    const before = this.#releaseHeld();
    const call: Call = { index: this.#count, wireIndex, id, name, waiting: text };
    this.#count += 1;
    this.#last = call;
    this.#byNumber.set(wireIndex, call);
    if (!this.#byId.has(id)) this.#byId.set(id, call);
    this.#held.add(call);
    if (text === "" && !this.#isWhole(name)) {
      this.#changed = true;
      return before;
    }
    const asSent = isObject(piece["function"]) && piece["function"]["arguments"] === text;
    if (call.index === wireIndex && id !== null && asSent && piece["type"] === "function" && name !== "") {
      call.waiting = null;
      this.#held.delete(call);
      return [...before, piece];
    }
    return [...before, ...this.#release(call, piece)];
  }

  #releaseHeld(): Fields[] {
    return [...this.#held].flatMap((call) => this.#release(call));
  }

  /** Passes on a tool call that was held back because its name was incomplete. */
  #release(call: Call, piece: Fields = {}): Fields[] {
    if (call.waiting === null) return [];
    this.#changed = true;
    const text = call.waiting;
    call.waiting = null;
    this.#held.delete(call);
    // A tool call without an id gets one here, because the AI SDK's packages would create a random one.
    const id = call.id ?? `call_${call.index}`;
    return [{ ...piece, index: call.index, id, type: "function", function: { name: call.name, arguments: text } }];
  }

  #find(wireIndex: number | null, id: string | null, name: string): Call | null {
    if (wireIndex === null) {
      if (id !== null) return this.#byId.get(id) ?? null;
      const last = this.#last;
      return name === "" || last?.waiting === "" ? last : null;
    }
    const known = this.#byNumber.get(wireIndex) ?? null;
    // A piece with the number of a known tool call, but with another id and a name, begins another tool call.
    const isOther = known !== null && id !== null && known.id !== null && id !== known.id && name !== "";
    return isOther ? null : known;
  }

  /** Whether a tool name is complete. It may be incomplete if it is the beginning of a longer tool name. */
  #isWhole(name: string): boolean {
    if (name === "") return false;
    return !this.#toolNames.some((tool) => tool !== name && tool.startsWith(name));
  }
}

/** Servers send a name in pieces, repeat it in each piece, or send a longer beginning each time. */
function joinedName(before: string, piece: string): string {
  if (piece === before) return before;
  return before !== "" && piece.startsWith(before) ? piece : before + piece;
}

function argumentsText(given: unknown): string {
  if (typeof given === "string") return given;
  return given === undefined || given === null ? "" : JSON.stringify(given);
}
