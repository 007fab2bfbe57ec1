// Repairs the events of the Messages API, so that Anthropic's package of the AI SDK can read what servers send. Handles every known deviation:
// missing and odd fields, blocks without a number or an end, content in the event that begins its block. Invariants: an answer whose stop
// reason arrived has its last event, although the body may end without it; each block has an end; an event that follows the protocol passes
// unchanged.

import { fieldsOf, isObject, parseJson, type Fields } from "#lib/json-value.ts";

import { errorEvent } from "./error-event.ts";
import { sentenceOf } from "./error-sentence.ts";
import { FinishedAnswer } from "./finished-answer.ts";
import { any, byType, list, needed, number, object, oneOf, or, text, type Fit } from "./fitted-chunk.ts";
import type { StreamRepair } from "./stream-repair.ts";

const lastEvent = JSON.stringify({ type: "message_stop" });

/** Most events are pieces of content. Testing them with an expression costs less than parsing them twice. */
const usual =
  /^\{"type": ?"content_block_delta", ?"index": ?\d+, ?"delta": ?\{"type": ?"\w+_(?:delta|json)", ?"\w+": ?"(?:[^"\\]|\\.)*" *\} *\}$/;

const counts = {
  input_tokens: number,
  cache_creation_input_tokens: number,
  cache_read_input_tokens: number,
  output_tokens_details: object({ thinking_tokens: number }),
};
const container = object({
  expires_at: needed(text),
  id: needed(text),
  skills: list(object({ skill_id: needed(text) })),
});
const edits = ["clear_tool_uses_20250919", "clear_thinking_20251015", "compact_20260112"];
const steps = ["compaction", "message", "advisor_message", "fallback_message"];
const transformations = list(object({ type: needed(text), path: needed(text), reason: needed(text) }));
/** The arguments of a call. The package expects an object. A text is sent in the event after the beginning of the block. */
const jsonInput: Fit = (value) => (isObject(value) || typeof value === "string" ? value : undefined);
const caller = object({ type: needed(oneOf("code_execution_20250825", "code_execution_20260120", "direct")) });

/** What the package reads of the events, apart from the blocks of tools that Anthropic executes. */
const shapes: ReadonlyMap<unknown, Fit> = new Map<unknown, Fit>([
  [
    "message_start",
    object({
      message: or(
        object({
          id: text,
          model: text,
          role: text,
          stop_reason: text,
          container,
          usage: or(object({ ...counts, input_tokens: or(number, 0) }), { input_tokens: 0 }),
          input_transformations: transformations,
        }),
        { usage: { input_tokens: 0 } },
      ),
    }),
  ],
  [
    "content_block_start",
    object({
      index: number,
      content_block: byType(
        new Map<unknown, Fit>([
          ["text", object({ text: or(any, "") })],
          ["thinking", object({ thinking: or(any, "") })],
          ["tool_use", object({ id: text, input: or(jsonInput), caller: or(caller), toolset_name: text })],
        ]),
      ),
    }),
  ],
  [
    "content_block_delta",
    object({
      index: number,
      delta: byType(
        new Map<unknown, Fit>([
          ["text_delta", object({ text: or(any, "") })],
          ["thinking_delta", object({ thinking: or(any, "") })],
          ["signature_delta", object({ signature: or(any, "") })],
          ["input_json_delta", object({ partial_json: or(any, "") })],
        ]),
      ),
    }),
  ],
  ["content_block_stop", object({ index: number })],
  [
    "message_delta",
    object({
      delta: or(
        object({
          stop_reason: text,
          stop_sequence: text,
          container,
          stop_details: object({ type: needed(text), category: text, explanation: text, recommended_model: text }),
        }),
        {},
      ),
      usage: or(
        object({
          ...counts,
          output_tokens: or(number, 0),
          iterations: list(
            object({
              type: needed(oneOf(...steps)),
              model: text,
              input_tokens: or(number, 0),
              output_tokens: or(number, 0),
            }),
          ),
        }),
        { output_tokens: 0 },
      ),
      input_transformations: transformations,
      context_management: object({ applied_edits: or(list(object({ type: needed(oneOf(...edits)) })), []) }),
    }),
  ],
]);
const fitted = byType(shapes);

/** Repairs the events of one answer. */
export class AnthropicRepair implements StreamRepair {
  readonly #finish = new FinishedAnswer();
  /** The numbers of the blocks that have begun and not ended. */
  readonly #open = new Set<number>();
  /** The number of the block that began last. */
  #last = -1;
  #hasEnd = false;

  take(data: string): string[] {
    this.#finish.read(data);
    if (usual.test(data)) return [data];
    const event = parseJson(data);
    if (!isObject(event)) return [data];
    return this.#read(fieldsOf(fitted(event))).map((sent) => (sent === event ? data : JSON.stringify(sent)));
  }

  end(): string[] {
    if (!this.#finish.isFinished || this.#hasEnd) return [];
    return [...this.#ends().map((event) => JSON.stringify(event)), lastEvent];
  }

  #read(event: Fields): Fields[] {
    switch (event["type"]) {
      case "content_block_start":
        return this.#begin(event);
      case "content_block_delta":
        return [numbered(event, this.#last)];
      case "content_block_stop": {
        const sent = numbered(event, this.#last);
        this.#open.delete(Number(sent["index"]));
        return [sent];
      }
      case undefined:
      case "error":
        return [reportOf(event)];
      case "message_stop":
        this.#hasEnd = true;
        return [...this.#ends(), event];
      default:
        return [event];
    }
  }

  #begin(event: Fields): Fields[] {
    const start = numbered(event, this.#last + 1);
    const index = Number(start["index"]);
    const before = this.#open.has(index) ? [{ type: "content_block_stop", index }] : [];
    this.#open.add(index);
    this.#last = index;
    const block = fieldsOf(start["content_block"]);
    const delta = (type: string, name: string, value: unknown): Fields => ({
      type: "content_block_delta",
      index,
      delta: { type, [name]: value },
    });
    const piece = (type: string, name: string): Fields[] =>
      typeof block[name] === "string" && block[name] !== "" ? [delta(type, name, block[name])] : [];
    switch (block["type"]) {
      case "text":
        return [...before, start, ...piece("text_delta", "text")];
      case "thinking":
        return [...before, start, ...piece("thinking_delta", "thinking")];
      case "tool_use": {
        const { id, input, ...rest } = block;
        const isWhole = typeof id === "string" && id !== "";
        if (isWhole && typeof input !== "string") return [...before, start];
        const written = typeof input === "string" ? [delta("input_json_delta", "partial_json", input)] : [];
        const given = typeof input === "string" || input === undefined ? {} : { input };
        const begun = { ...rest, ...given, id: isWhole ? id : `toolu_${index}` };
        return [...before, { ...start, content_block: begun }, ...written];
      }
      default:
        return [...before, start];
    }
  }

  /** The ends of the open blocks. */
  #ends(): Fields[] {
    const ends = [...this.#open].map((index) => ({ type: "content_block_stop", index }));
    this.#open.clear();
    return ends;
  }
}

/** An error in the shape that the package reads. Gateways send the shape of other protocols. */
function reportOf(event: Fields): Fields {
  const { error, type } = event;
  if (isObject(error) && typeof error["message"] === "string" && type === "error") return event;
  const reported = fieldsOf(errorEvent(event)?.["error"]);
  const own = { ...fieldsOf(error), ...reported };
  if (type !== "error" && reported["message"] === undefined) return event;
  const name = typeof own["type"] === "string" ? own["type"] : "api_error";
  const message = sentenceOf(fieldsOf(error)["message"]) ?? sentenceOf(reported["message"]) ?? name;
  return { type: "error", error: { ...own, type: name, message } };
}

function numbered(event: Fields, index: number): Fields {
  return typeof event["index"] === "number" ? event : { ...event, index };
}
