// The protocol Chat Completions, as OpenAI, OpenRouter and many other servers implement it: the profile members that depend only on the
// protocol, and the reading of its chunks.

import type { JsonObject } from "#contract/json.ts";
import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";

import { ChatRepair } from "../chat-repair.ts";
import { anthropicUsage } from "./anthropic.ts";
import { countOf, textOf } from "./chunk-field.ts";
import type { ChunkFacts, ChunkUsage, ProviderProfile, ThinkingField } from "./provider-profile.ts";

function usageOf(chunk: Fields): ChunkUsage {
  const { usage } = chunk;
  // Groq sends counts in its own field `x_groq`, and Moonshot with the choice.
  const counts = fieldsOf(
    usage ?? fieldsOf(chunk["x_groq"])["usage"] ?? fieldsOf(listOf(chunk["choices"])[0])["usage"],
  );
  const other = anthropicUsage(usage);
  const prompt = countOf(counts["prompt_tokens"]);
  const cached = countOf(fieldsOf(counts["prompt_tokens_details"])["cached_tokens"]);
  const cache_read = other.cache_read ?? cached ?? countOf(counts["cached_tokens"]);
  return {
    input: other.input ?? (prompt === null ? null : Math.max(0, prompt - (cache_read ?? 0))),
    output: other.output ?? countOf(counts["completion_tokens"]),
    cache_read,
    cache_write: other.cache_write,
  };
}

/** The field of a delta that holds thinking; null if there is none. */
function thinkingFieldOf(delta: Fields): ThinkingField | null {
  for (const name of ["reasoning_content", "reasoning"] as const) {
    if (typeof delta[name] === "string" && delta[name] !== "") return name;
  }
  return listOf(delta["content"]).some((part) => fieldsOf(part)["type"] === "thinking") ? "content" : null;
}

/** The sources that a chunk cites: `annotations` of OpenAI's search models, `citations` of Perplexity and xAI. */
function sourcesOf({ citations }: Fields, delta: Fields): NonNullable<ChunkFacts["sources"]> {
  return [
    ...listOf(citations).map((url) => ({ url })),
    ...listOf(delta["annotations"]).map((annotation) => {
      const { url, title } = fieldsOf(fieldsOf(annotation)["url_citation"]);
      return { url, title };
    }),
  ];
}

/** Reads the piece of a spoken answer in a delta, in the form that OpenAI and OpenRouter document. */
function speechOf(delta: Fields): Pick<ChunkFacts, "speech"> {
  const { data, transcript } = fieldsOf(delta["audio"]);
  const speech = {
    ...(typeof data === "string" ? { data } : {}),
    ...(typeof transcript === "string" ? { transcript } : {}),
  };
  return Object.keys(speech).length === 0 ? {} : { speech };
}

const audioTypes: Readonly<Record<string, string>> = { pcm16: "audio/pcm;rate=24000", mp3: "audio/mpeg" };

/** Returns the media type of a spoken answer. Default: the type of 16-bit samples, the only format that OpenAI streams. */
function speechType(params: JsonObject | undefined): string {
  const format = textOf(fieldsOf(params?.["audio"])["format"]) ?? "pcm16";
  return audioTypes[format] ?? `audio/${format}`;
}

function readChunk(chunk: Fields): ChunkFacts {
  const delta = fieldsOf(fieldsOf(listOf(chunk["choices"])[0])["delta"]);
  return {
    usage: usageOf(chunk),
    thinkingField: thinkingFieldOf(delta),
    calls: listOf(delta["tool_calls"]),
    sources: sourcesOf(chunk, delta),
    ...speechOf(delta),
    ...(typeof chunk["model"] === "string" ? { modelId: chunk["model"] } : {}),
  };
}

/** The body's fields that the runtime sets in Chat Completions, or that change the form of the answer. */
const reservedFields = [
  ..."model messages tools tool_choice parallel_tool_calls functions function_call stream stream_options n".split(" "),
  "response_format",
  "store",
];

/** The profile members that depend only on the protocol. */
export const chatCompletions = {
  reservedFields,
  alternatesTurns: false,
  imagesInToolResults: false,
  flagsToolErrors: false,
  streamRepair: (toolNames) => new ChatRepair(toolNames),
  eventsOfDocument: (value) =>
    isObject(value) && isObject(listOf(value["choices"])[0])
      ? `data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`
      : null,
  errorEvent: (error) => `data: ${JSON.stringify({ error })}\n\n`,
  readChunk,
  speechType,
  closesCallsAtEnd: true,
} satisfies Partial<ProviderProfile>;
