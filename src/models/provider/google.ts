// The profile of Google's Gemini API and its thinking: a budget of tokens up to Gemini 2.5, a level from Gemini 3 on. The least and
// greatest budget differ by model, and the limit of an answer includes the thinking.

import type { ModelRequest } from "#core/ports/model-port.ts";
import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";

import { GoogleRepair } from "../google-repair.ts";
import { googleRules, type WireRules } from "../schema/wire-rules.ts";
import { fitBudget, type BudgetBounds, type Effort } from "../thinking-request.ts";
import { countOf, textOf } from "./chunk-field.ts";
import { googleParameters, googleSchema } from "./google-schema.ts";
import {
  noReasoning,
  placeIn,
  type ChunkUsage,
  type ProviderProfile,
  type ReasoningInput,
  type ReasoningOptions,
} from "./provider-profile.ts";

const withoutThinking = /gemini-(?:1[.-]|2\.0)(?!.*thinking)|gemma/;
const byLevel = /gemini-(?:[3-9]|[1-9]\d)/;
/** Models with only two levels of thinking. */
const twoLevels = /gemini-3-pro/;

function boundsOf(model: string): Pick<BudgetBounds, "floor" | "ceiling"> {
  if (/flash-lite/.test(model)) return { floor: 512, ceiling: 24_576 };
  return /-pro/.test(model) ? { floor: 128, ceiling: 32_768 } : { floor: 1, ceiling: 24_576 };
}

function levelOf(effort: Effort, model: string): string {
  if (effort === "minimal" || effort === "none") return "low";
  return effort === "medium" && twoLevels.test(model) ? "high" : effort;
}

/** Flash models up to Gemini 2.5 can turn thinking off. Other models get their smallest budget or level. */
function thinkingOff(model: string): ReasoningOptions {
  const warnings = [`"${model}" always thinks; it was asked for as little as it takes.`];
  if (byLevel.test(model)) return { options: { thinkingConfig: { thinkingLevel: "low" } }, budget: 0, warnings };
  if (!/-pro/.test(model)) return { options: { thinkingConfig: { thinkingBudget: 0 } }, budget: 0, warnings: [] };
  return { options: { thinkingConfig: { thinkingBudget: boundsOf(model).floor } }, budget: 0, warnings };
}

function reasoning(request: ModelRequest, { thinking, maxTokens }: ReasoningInput): ReasoningOptions {
  if (thinking === null) return noReasoning;
  const { model } = request.model;
  if (withoutThinking.test(model)) {
    return { ...noReasoning, warnings: [`"${model}" does not think; reasoning was not requested.`] };
  }
  const includeThoughts = request.reasoning?.exclude !== true;
  if (thinking.effort === "none") return thinkingOff(model);
  if (byLevel.test(model) && !thinking.byTokens) {
    const thinkingLevel = levelOf(thinking.effort, model);
    return { options: { thinkingConfig: { thinkingLevel, includeThoughts } }, budget: 0, warnings: [] };
  }
  const { budget, warnings } = fitBudget(thinking, { who: "Google", ...boundsOf(model), limit: maxTokens });
  if (budget === null) return { ...noReasoning, warnings };
  return { options: { thinkingConfig: { thinkingBudget: budget, includeThoughts } }, budget: 0, warnings };
}

function usageOf({ usageMetadata }: Fields): ChunkUsage {
  const counts = fieldsOf(usageMetadata);
  const prompt = countOf(counts["promptTokenCount"]);
  const cache_read = countOf(counts["cachedContentTokenCount"]);
  const answer = countOf(counts["candidatesTokenCount"]);
  const thoughts = countOf(counts["thoughtsTokenCount"]);
  return {
    input: prompt === null ? null : Math.max(0, prompt - (cache_read ?? 0)),
    output: answer === null && thoughts === null ? null : (answer ?? 0) + (thoughts ?? 0),
    cache_read,
    cache_write: null,
  };
}

/**
 * All formats of audio and video, because they differ between the models of Gemini. The API refuses a format that the model cannot read.
 */
const acceptedFiles = ["application/pdf", "audio/*", "video/*"];

const parameterRules: WireRules = { ...googleRules, convert: googleParameters };

/** Google's Gemini API. */
export const google: ProviderProfile = {
  name: "google",
  telemetryName: "gcp.gemini",
  variables: {
    keys: ["GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    // Google's package reads no variable for the address. These names are formed like those of the API key.
    baseUrls: ["GOOGLE_BASE_URL", "GOOGLE_GENERATIVE_AI_BASE_URL"],
    defaultPath: "/v1beta",
    gatewayPath: "google-ai-studio/v1beta",
  },
  async load({ model, to: { apiKey, baseUrl } }, fetch) {
    const { GoogleGenerativeAILanguageModel } = await import("./google-package.ts");
    let made = 0;
    return new GoogleGenerativeAILanguageModel(model.model, {
      provider: "google.generative-ai",
      baseURL: baseUrl ?? "https://generativelanguage.googleapis.com/v1beta",
      headers: { "x-goog-api-key": apiKey },
      // Google's API gives few tool calls an id. A counter is enough: ids that may repeat get the step's name (decision 30: call ids).
      generateId: () => `google-fc-${made++}`,
      fetch,
    });
  },
  // The ids of tool calls are numbered from 0 in each request.
  countsPerRequest: true,
  optionsName: "google",
  reasoning,
  catalogueAt: (_, host) => placeIn("google", "generativelanguage.googleapis.com", host),
  schemaRules: () => parameterRules,
  providerTools: "gemini",
  // Gemini before version 3 refuses a schema for the answer together with functions.
  structure: ({ schema }, { model, tools }) =>
    tools.length > 0 && /gemini-[12]\b/.test(model.model) ? null : { schema: googleSchema(schema), options: {} },
  reservedFields: [
    ..."contents system_instruction tools tool_config cached_content model".split(" "),
    ..."response_schema response_json_schema response_mime_type candidate_count"
      .split(" ")
      .map((field) => `generation_config.${field}`),
  ],
  alternatesTurns: true,
  imagesInToolResults: true,
  resultsNeedText: true,
  flagsToolErrors: false,
  files: { bytes: acceptedFiles, urls: acceptedFiles },
  streamRepair: () => new GoogleRepair(),
  // Without `alt=sse`, a server answers with a list of the chunks that a stream would have.
  eventsOfDocument(value) {
    const chunks = Array.isArray(value) ? (value as unknown[]) : [value];
    const isAnswer = chunks.some((chunk) => isObject(chunk) && ("candidates" in chunk || "promptFeedback" in chunk));
    return isAnswer ? chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") : null;
  },
  errorEvent: (error) => `data: ${JSON.stringify({ error })}\n\n`,
  readChunk: (chunk) => ({
    usage: usageOf(chunk),
    stopDetail: textOf(
      fieldsOf(chunk["promptFeedback"])["blockReasonMessage"],
      fieldsOf(listOf(chunk["candidates"])[0])["finishMessage"],
    ),
    ...(typeof chunk["modelVersion"] === "string" ? { modelId: chunk["modelVersion"] } : {}),
  }),
  closesCallsAtEnd: false,
};
