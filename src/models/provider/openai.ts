// The profiles of OpenAI's two protocols, and the choice between them. OpenAI's current models accept tools together with reasoning only in
// the Responses API; other servers implement Chat Completions. Requests to the Responses API set `store: false`: each request sends the
// whole conversation, with the encrypted reasoning that the server returned.

import type { JsonObject } from "#contract/json.ts";
import { fieldsOf } from "#lib/json-value.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ResponsesRepair } from "../responses-repair.ts";
import { chatCompletions } from "./chat-completions.ts";
import { textOf } from "./chunk-field.ts";
import { compatibilityOf } from "./compatibility.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import {
  asksForOneCall,
  chatFiles,
  effortOptions,
  isOpenaiHost,
  openaiFamily,
  openaiStructure,
  ownerAtHost,
  printableCallId,
  systemRole,
} from "./openai-family.ts";
import { markedThinking, plainThinkingFetch } from "./plain-thinking.ts";
import { metadataUnder, type AnsweredBlock, type CallTarget, type ProviderProfile } from "./provider-profile.ts";

async function loadOpenai({ to: { apiKey, baseUrl } }: CallTarget, fetch: typeof globalThis.fetch) {
  const models = await import("./openai-package.ts");
  const base = baseUrl ?? "https://api.openai.com/v1";
  const url = ({ path }: { path: string }): string => `${base}${path}`;
  return { models, config: { url, headers: () => ({ Authorization: `Bearer ${apiKey}` }), fetch } };
}

/** The profile of the protocol for an address. The definition's `api` takes precedence. */
function protocolAt({ provider, api }: AnyModelDefinition, host: string | null): ProviderProfile {
  const atOpenai = isOpenaiHost(host);
  const chosen = api ?? (provider === openaiResponses.name || atOpenai ? "responses" : "chat");
  if (chosen === "responses") return openaiResponses;
  return atOpenai ? openai : openaiCompatible;
}

/** OpenAI with Chat Completions. `atHost` chooses between the protocols. */
export const openai: ProviderProfile = {
  ...openaiFamily,
  ...chatCompletions,
  name: "openai",
  apis: ["responses", "chat"],
  atHost: protocolAt,
  async load(target, fetch) {
    const { models, config } = await loadOpenai(target, fetch);
    return new models.OpenAIChatLanguageModel(target.model.model, { ...config, provider: "openai.chat" });
  },
  optionsName: "openai",
  options: (request, hasTools) => ({
    ...(asksForOneCall(request, hasTools) ? { parallelToolCalls: false } : {}),
    ...systemRole(request),
  }),
  reasoning: (request, { thinking }) => effortOptions(request, thinking),
  structure: openaiStructure,
  completionLimitOption: "maxCompletionTokens",
  files: chatFiles,
};

/**
 * The part of the package's metadata that is stored with a block. Ids of texts and tool calls are dropped, because OpenAI's server does not
 * store them. Reasoning that has neither encrypted content nor a summary is dropped too.
 */
function storedData({ kind, metadata, empty }: AnsweredBlock): JsonObject | null {
  return metadataUnder(metadata, { reported: "openai" }, (fields) => {
    const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
    if (kind === "thinking") return empty && filled["reasoningEncryptedContent"] === undefined ? {} : filled;
    const { itemId: _stored, annotations: _cited, ...kept } = filled;
    return kept;
  });
}

// The media types of the documents in OpenAI's guide to file inputs: PDF, and files of office programs. The guide lists no audio and no
// video.
const documents = [
  ..."pdf msword rtf vnd.ms-excel vnd.ms-powerpoint vnd.oasis.opendocument.text".split(" "),
  ..."wordprocessingml.document spreadsheetml.sheet presentationml.presentation"
    .split(" ")
    .map((name) => `vnd.openxmlformats-officedocument.${name}`),
].map((name) => `application/${name}`);

/** OpenAI's Responses API, at OpenAI and at other servers. */
export const openaiResponses: ProviderProfile = {
  ...openaiFamily,
  name: "openai-responses",
  telemetryName: "openai",
  apis: ["responses"],
  atHost: protocolAt,
  ownerAt: ownerAtHost("openai-responses"),
  async load(target, fetch) {
    const { models, config } = await loadOpenai(target, plainThinkingFetch(fetch));
    const files = { fileIdPrefixes: ["file-"] };
    return new models.OpenAIResponsesLanguageModel(target.model.model, {
      ...config,
      ...files,
      provider: "openai.responses",
    });
  },
  optionsName: "openai",
  options: (request, hasTools) => ({
    store: false,
    // Without this option the package refuses documents other than PDF.
    passThroughUnsupportedFiles: true,
    ...(hasTools && !request.parallelToolCalls && request.model.compat?.supportsParallelToolCalls !== false
      ? { parallelToolCalls: false }
      : {}),
    ...(request.model.compat?.supportsReasoningEffort === true ? { forceReasoning: true } : {}),
    ...systemRole(request),
  }),
  reasoning: (request, { thinking }) =>
    effortOptions(request, thinking, (effort) => ({
      reasoningEffort: effort,
      // Without `forceReasoning` the package sends `reasoning` only for model ids that it knows. A gateway's or a customer's model may have
      // any id.
      forceReasoning: true,
      // OpenAI creates summaries of reasoning for verified organisations only. So they are requested only if the prompt shows thinking.
      ...(request.reasoning?.exclude === true || effort === "none" ? {} : { reasoningSummary: "auto" }),
    })),
  structure: openaiStructure,
  reservedFields: [
    ..."model input instructions tools tool_choice parallel_tool_calls stream stream_options store text.format".split(
      " ",
    ),
    ..."include previous_response_id conversation background prompt".split(" "),
  ],
  providerTools: "responses",
  // The Responses API uses strict mode by default, which refuses schemas with optional fields.
  toolFields: { strict: false },
  alternatesTurns: false,
  imagesInToolResults: false,
  flagsToolErrors: false,
  callId: (id) => printableCallId(id, 64),
  files: { bytes: documents, urls: documents },
  needsFileNames: true,
  streamRepair: () => new ResponsesRepair(),
  errorEvent: (error) => `data: ${JSON.stringify({ type: "error", sequence_number: 0, error })}\n\n`,
  readChunk: (chunk) => ({ stopReason: textOf(fieldsOf(fieldsOf(chunk["response"])["incomplete_details"])["reason"]) }),
  closesCallsAtEnd: false,
  thinkingData: ({ own }, { model, to }) =>
    compatibilityOf(model, to.host).plainThinking ? markedThinking(own) : { ...own },
  storedData,
};
