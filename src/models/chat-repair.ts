// Repairs chunks of Chat Completions, so that the AI SDK's packages can read what servers send. Handles every known deviation from the
// protocol: errors of other shapes, missing fields, tool calls with wrong or missing numbers, tool names that arrive in pieces. Invariant:
// a chunk that follows the protocol passes unchanged.

import { isObject, parseJson, type Fields } from "#lib/json-value.ts";

import { errorEvent } from "./error-event.ts";
import { isFinishReason } from "./finish-reason.ts";
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
const worthReading = /"(?:tool_calls|error|message|detail)":|"role":(?!\s*"assistant")|"finish_reason":\s*"/;

/** Repairs the chunks of one answer, in order. `toolNames` are the names of the tools that the request offers. */
export class ChatRepair implements StreamRepair {
  readonly #toolNames: readonly string[];
  readonly #calls: Call[] = [];
  #finished = false;
  #changed = false;

  constructor(toolNames: readonly string[]) {
    this.#toolNames = toolNames;
  }

  /** Repairs the data of one event. Returns the data of the events to pass on: none, one or several. */
  take(data: string): string[] {
    // Some servers end with `[DONE]` and send no finish reason. The package `@ai-sdk/openai-compatible` reports that as an error, and tool
    // calls whose name is incomplete need a last chunk. So a finish reason is added here.
    if (isDone(data)) return this.#finished ? ["[DONE]"] : [this.#end(), "[DONE]"];
    if (usual.test(data) && !worthReading.test(data)) return [data];
    const chunk = parseJson(data);
    if (!isObject(chunk)) return [data];
    this.#changed = false;
    const repaired = this.#chunk(chunk);
    return [this.#changed ? JSON.stringify(repaired) : data];
  }

  #end(): string {
    return JSON.stringify(this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  }

  #chunk(chunk: Fields): Fields {
    const error = errorEvent(chunk);
    if (error !== null) {
      this.#changed ||= error !== chunk;
      return error;
    }
    const { choices } = chunk;
    if (!Array.isArray(choices)) {
      this.#changed = true;
      return { ...chunk, choices: [] };
    }
    const [first, ...others] = choices as unknown[];
    if (!isObject(first)) return chunk;
    return { ...chunk, choices: [this.#choice(first), ...others] };
  }

  #choice(choice: Fields): Fields {
    const { delta, message, finish_reason } = choice;
    const ends = isFinishReason(finish_reason);
    const isReason = ends || typeof finish_reason !== "string";
    this.#changed ||= !isReason;
    const given = isReason ? choice : { ...choice, finish_reason: null };
    this.#finished ||= ends;
    // Some servers send a complete answer as one chunk. It has `message` where a chunk of a stream has `delta`.
    const isWhole = !isObject(delta) && isObject(message);
    this.#changed ||= isWhole;
    const part = isObject(delta) ? delta : isObject(message) ? message : ends ? {} : null;
    if (part === null) return given;
    return { ...given, delta: this.#delta(part, ends) };
  }

  #delta(delta: Fields, ends: boolean): Fields {
    const { role, tool_calls, ...rest } = delta;
    const kept: Fields = role === "assistant" || role === undefined || role === null ? { ...delta } : rest;
    if (kept === rest) this.#changed = true;
    const pieces = Array.isArray(tool_calls) ? tool_calls.flatMap((piece: unknown) => this.#piece(piece)) : [];
    const named = ends ? [...pieces, ...this.#calls.flatMap((call) => this.#release(call))] : pieces;
    if (Array.isArray(tool_calls) || named.length > 0) kept["tool_calls"] = named;
    return kept;
  }

  /** Returns the pieces to pass on, with their numbers; none while the name of the tool call is incomplete. */
  #piece(piece: unknown): Fields[] {
    if (!isObject(piece)) return [];
    const given = isObject(piece["function"]) ? piece["function"] : {};
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
    const same = known.index === wireIndex && name === "" && given["arguments"] === text;
    if (same) return [piece];
    this.#changed = true;
    return [{ index: known.index, function: { arguments: text } }];
  }

  #begin(
    piece: Fields,
    { wireIndex, id, name, text }: { wireIndex: number | null; id: string | null; name: string; text: string },
  ): Fields[] {
    const before = this.#calls.flatMap((call) => this.#release(call));
    const call: Call = { index: this.#calls.length, wireIndex, id, name, waiting: text };
    this.#calls.push(call);
    if (text === "" && !this.#isWhole(name)) {
      this.#changed = true;
      return before;
    }
    const asSent = isObject(piece["function"]) && piece["function"]["arguments"] === text;
    if (call.index === wireIndex && id !== null && asSent && piece["type"] === "function" && name !== "") {
      call.waiting = null;
      return [...before, piece];
    }
    return [...before, ...this.#release(call, piece)];
  }

  /** Passes on a tool call that was held back because its name was incomplete. */
  #release(call: Call, piece: Fields = {}): Fields[] {
    if (call.waiting === null) return [];
    this.#changed = true;
    const text = call.waiting;
    call.waiting = null;
    // A tool call without an id gets one here, because the AI SDK's packages would create a random one.
    const id = call.id ?? `call_${call.index}`;
    return [{ ...piece, index: call.index, id, type: "function", function: { name: call.name, arguments: text } }];
  }

  #find(wireIndex: number | null, id: string | null, name: string): Call | null {
    if (wireIndex === null) {
      if (id !== null) return this.#calls.find((call) => call.id === id) ?? null;
      const last = this.#calls.at(-1) ?? null;
      return name === "" || last?.waiting === "" ? last : null;
    }
    const known = this.#calls.findLast((call) => call.wireIndex === wireIndex) ?? null;
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
