// Fits the chunks of Gemini's API to what Google's package of the AI SDK reads. Invariant: a chunk that follows the protocol passes unchanged.

import { fieldsOf, isObject, listOf, parseJson } from "#lib/json-value.ts";

import { assertFew } from "./answer-bounds.ts";
import { flag, list, needed, number, object, or, text, type Fit } from "./fitted-chunk.ts";
import type { StreamRepair } from "./stream-repair.ts";

const texts = list(text);
const details = list(object({ modality: needed(text), tokenCount: needed(number) }));
const ratings = list(
  object({
    category: text,
    probability: text,
    probabilityScore: number,
    severity: text,
    severityScore: number,
    blocked: flag,
  }),
);
const page = { uri: needed(text), title: text };
const grounding = object({
  webSearchQueries: texts,
  imageSearchQueries: texts,
  retrievalQueries: texts,
  searchEntryPoint: object({ renderedContent: needed(text) }),
  groundingChunks: list(
    object({
      web: object(page),
      image: object({ sourceUri: needed(text), imageUri: needed(text), title: text, domain: text }),
      retrievedContext: object({
        uri: text,
        title: text,
        text,
        fileSearchStore: text,
        customMetadata: list(object({ key: needed(text), stringValue: text, numericValue: number })),
      }),
      maps: object({ uri: text, title: text, text, placeId: text }),
    }),
  ),
  groundingSupports: list(
    object({
      segment: object({ startIndex: number, endIndex: number, text }),
      segment_text: text,
      groundingChunkIndices: list(number),
      supportChunkIndices: list(number),
      confidenceScores: list(number),
      confidenceScore: list(number),
    }),
  ),
  retrievalMetadata: object({}),
});
const part = object({
  executableCode: object({ language: or(text, ""), code: or(text, "") }),
  codeExecutionResult: object({ outcome: or(text, ""), output: text }),
  thought: flag,
  thoughtSignature: text,
});
/** An error that reports nothing, such as an empty text, is left out. */
const reported: Fit = (value) => {
  const isError = isObject(value) ? Object.keys(value).length > 0 : typeof value === "string" && value !== "";
  return isError ? value : undefined;
};
const fitted = object({
  responseId: text,
  error: reported,
  candidates: list(
    object({
      content: object({ parts: list(part) }),
      finishReason: text,
      finishMessage: text,
      continuationToken: text,
      safetyRatings: ratings,
      groundingMetadata: grounding,
      urlContextMetadata: object({
        urlMetadata: list(object({ retrievedUrl: needed(text), urlRetrievalStatus: or(text, "") })),
      }),
    }),
  ),
  usageMetadata: object({
    cachedContentTokenCount: number,
    thoughtsTokenCount: number,
    promptTokenCount: number,
    candidatesTokenCount: number,
    toolUsePromptTokenCount: number,
    totalTokenCount: number,
    trafficType: text,
    serviceTier: text,
    promptTokensDetails: details,
    cacheTokensDetails: details,
    candidatesTokensDetails: details,
    toolUsePromptTokensDetails: details,
  }),
  promptFeedback: object({ blockReason: text, safetyRatings: ratings }),
});

/** Fits the chunks of one answer. */
export class GoogleRepair implements StreamRepair {
  take(data: string): string[] {
    const chunk = parseJson(data);
    if (!isObject(chunk)) return [data];
    for (const candidate of listOf(chunk["candidates"])) {
      const parts = listOf(fieldsOf(fieldsOf(candidate)["content"])["parts"]);
      assertFew(parts.length, "an event with too many parts");
    }
    const sent = fitted(chunk);
    return [sent === chunk ? data : JSON.stringify(sent)];
  }
}
