// Reads the few things the provider packages drop from the chunks they were given: the model that answered (Google), what
// a model really wrote as arguments (OpenRouter's package replaces text that is no JSON by `{}`, which would run a tool
// with arguments nobody wrote), and the tokens a call had used when it was cut, which are billed all the same.

import { zeroUsage, type Usage } from "#contract/usage.ts";

import type { ThinkingField } from "./openai-compatible.ts";

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(...values: unknown[]): string | null {
  const found = values.find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found.trim() : null;
}

/** The provider's explanation of a refused or blocked answer (Anthropic; Google for the prompt and for the answer). */
function stopDetail(chunk: Fields): string | null {
  return text(
    fields(fields(chunk["delta"])["stop_details"])["explanation"],
    fields(chunk["promptFeedback"])["blockReasonMessage"],
    fields(list(chunk["candidates"])[0])["finishMessage"],
  );
}

function count(...values: unknown[]): number | null {
  const found = values.find((value) => typeof value === "number" && value >= 0);
  return typeof found === "number" ? found : null;
}

/** The token counts after a chunk. Most servers of Chat Completions send counts only at the end. */
function updateUsage(before: Usage | null, chunk: Fields): Usage | null {
  const anthropic = fields(fields(chunk["message"])["usage"] ?? chunk["usage"]);
  const google = fields(chunk["usageMetadata"]);
  // Groq sends counts in its own field `x_groq`.
  const chat = fields(chunk["usage"] ?? fields(chunk["x_groq"])["usage"]);
  const cached = fields(chat["prompt_tokens_details"])["cached_tokens"];
  const cache_read = count(anthropic["cache_read_input_tokens"], google["cachedContentTokenCount"], cached);
  const prompt = count(google["promptTokenCount"], chat["prompt_tokens"]);
  const input = count(anthropic["input_tokens"], prompt === null ? null : Math.max(0, prompt - (cache_read ?? 0)));
  const spoken = count(google["candidatesTokenCount"]);
  const thought = count(google["thoughtsTokenCount"]);
  const googleOutput = spoken === null && thought === null ? null : (spoken ?? 0) + (thought ?? 0);
  const output = count(anthropic["output_tokens"], googleOutput, chat["completion_tokens"]);
  const cache_write = count(anthropic["cache_creation_input_tokens"]);
  if (input === null && output === null) return before;
  const known = before ?? zeroUsage;
  const usage = {
    input: input ?? known.input,
    output: output ?? known.output,
    cache_read: cache_read ?? known.cache_read,
    cache_write: cache_write ?? known.cache_write,
  };
  const total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write;
  return { ...usage, total_tokens };
}

/** The field of a Chat Completions delta that holds thinking; null if there is none. */
function thinkingFieldOf(delta: Fields): ThinkingField | null {
  for (const name of ["reasoning_content", "reasoning"] as const) {
    if (typeof delta[name] === "string" && delta[name] !== "") return name;
  }
  return list(delta["content"]).some((part) => fields(part)["type"] === "thinking") ? "content" : null;
}

/** What a stream's chunks have said so far. */
export interface ChunkReader {
  read(chunk: unknown): void;
  /** The model that answered. */
  modelId(): string | null;
  /** The provider's explanation of its stop reason. */
  stopDetail(): string | null;
  /** Tokens known to be used so far; null before any were told. */
  usage(): Usage | null;
  /** The field that last held thinking, in Chat Completions; null if there was none. */
  thinkingField(): ThinkingField | null;
  /** Arguments as they came over the wire, by the provider's call id; null where the id names none or several. */
  argumentsOf(callId: string): string | null;
}

/** A reader of one stream's chunks. */
export function createChunkReader(): ChunkReader {
  let modelId: string | null = null;
  let usage: Usage | null = null;
  let detail: string | null = null;
  let thinkingField: ThinkingField | null = null;
  // By place: two calls of one answer may carry the same id.
  const calls = new Map<unknown, { id: string; text: string }>();

  const readCall = (value: unknown): void => {
    const { index, id, function: called } = fields(value);
    const call = calls.get(index) ?? { id: typeof id === "string" ? id : "", text: "" };
    calls.set(index, call);
    const text = fields(called)["arguments"];
    if (typeof text === "string") call.text += text;
  };

  return {
    read(chunk) {
      const { modelVersion, model, choices } = fields(chunk);
      for (const name of [modelVersion, model]) if (typeof name === "string" && name !== "") modelId = name;
      usage = updateUsage(usage, fields(chunk));
      detail = stopDetail(fields(chunk)) ?? detail;
      const delta = fields(fields(list(choices)[0])["delta"]);
      thinkingField = thinkingFieldOf(delta) ?? thinkingField;
      for (const call of list(delta["tool_calls"])) readCall(call);
    },
    modelId: () => modelId,
    stopDetail: () => detail,
    thinkingField: () => thinkingField,
    usage: () => usage,
    argumentsOf(callId) {
      const [call, another] = [...calls.values()].filter(({ id }) => id === callId);
      return call === undefined || another !== undefined ? null : call.text;
    },
  };
}
