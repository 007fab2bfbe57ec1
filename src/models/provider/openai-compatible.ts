// The profile of servers other than OpenAI's that implement Chat Completions. Their differences are the data of `compatibility.ts`.

import type { JSONObject, LanguageModelV3, LanguageModelV3Message } from "@ai-sdk/provider";

import type { StoredPart } from "#core/record/record.ts";
import { modelPresets } from "#spec/index.ts";

import { shortCallId } from "../call-ids.ts";
import { rulesOfSchemas } from "../schema/wire-rules.ts";
import { chatCompletions } from "./chat-completions.ts";
import { compatibilityOf, presetNamed } from "./compatibility.ts";
import {
  asksForOneCall,
  chatFiles,
  effortOptions,
  openaiCallId,
  openaiFamily,
  openaiStructure,
  ownerAtHost,
  takesEffort,
} from "./openai-family.ts";
import { metadataUnder, type CallTarget, type ProviderProfile } from "./provider-profile.ts";

/** The fields that turn thinking off, by `compat.thinkingOffField`. `reasoning_effort` is an option of the package. */
const thinkingOff: Readonly<Record<string, JSONObject | undefined>> = {
  thinking: { thinking: { type: "disabled" } },
  enable_thinking: { enable_thinking: false },
};

type AssistantMessage = Extract<LanguageModelV3Message, { role: "assistant" }>;

interface Thought {
  text: string;
  field: string;
}

/**
 * The stored thinking of an assistant message, if this server and this model created it. Thinking by another model of the server is
 * returned only if the server refuses messages without thinking: other servers may refuse it.
 */
function thinkingOf(parts: readonly StoredPart[], { model, to }: CallTarget): Thought | null {
  const needed = compatibilityOf(model, to.host).requiresThinking !== "none";
  const thoughts = parts.flatMap((part) => {
    if (part.type !== "thinking" || part.thinking === "" || part.provider_data?.provider !== to.owner) return [];
    const { field, model: maker } = part.provider_data.data;
    return typeof field === "string" && (needed || maker === model.model) ? [{ text: part.thinking, field }] : [];
  });
  const first = thoughts[0];
  return first === undefined ? null : { text: thoughts.map(({ text }) => text).join("\n"), field: first.field };
}

/** Adds thinking to an assistant message, in the field in which the server sent it. A message without thinking gets the required one. */
function addThinking(message: AssistantMessage, parts: readonly StoredPart[], target: CallTarget): void {
  const thought = thinkingOf(parts, target) ?? requiredThinking(message, target);
  if (thought === null) return;
  const fields =
    thought.field === "content" ? { content: contentWith(thought.text, message) } : { [thought.field]: thought.text };
  // The package copies these fields into the message that it sends.
  message.providerOptions = { ...message.providerOptions, openaiCompatible: fields };
}

/** The thinking of a message that the server would refuse without thinking; null for any other message. */
function requiredThinking({ content }: AssistantMessage, { model, to }: CallTarget): Thought | null {
  const { requiresThinking, emptyThinking } = compatibilityOf(model, to.host);
  const hasCalls = content.some((part) => part.type === "tool-call");
  if (requiresThinking === "none" || (requiresThinking === "calls" && !hasCalls)) return null;
  return { text: emptyThinking, field: "reasoning_content" };
}

function contentWith(text: string, { content }: AssistantMessage): JSONObject[] {
  const texts = content.flatMap((part) => (part.type === "text" ? [{ type: "text", text: part.text }] : []));
  return [{ type: "thinking", thinking: [{ type: "text", text }] }, ...texts];
}

/** Where and with what the requests to a server are sent. */
interface ChatConnection {
  baseURL: string;
  apiKey?: string;
  headers?: Record<string, string>;
  queryParams?: Record<string, string>;
}

/** Loads the package for a server with Chat Completions. */
export async function loadChat(
  { model, to }: CallTarget,
  fetch: typeof globalThis.fetch,
  connection: ChatConnection,
): Promise<LanguageModelV3> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    // The package reads the options of a request under this name.
    name: "openaiCompatible",
    fetch,
    includeUsage: compatibilityOf(model, to.host).supportsStreamUsage,
    // Whether a model and its server support it is decided by `structure`.
    supportsStructuredOutputs: true,
    ...connection,
  })(model.model);
}

/** A server other than OpenAI's that implements Chat Completions. */
export const openaiCompatible: ProviderProfile = {
  ...openaiFamily,
  ...chatCompletions,
  name: "openai-compatible",
  ownerAt: ownerAtHost("openai-compatible"),
  load: (target, fetch) => loadChat(target, fetch, { baseURL: target.to.baseUrl ?? "", apiKey: target.to.apiKey }),
  optionsName: "openaiCompatible",
  // The package passes on options that it does not know.
  options: (request, hasTools) => (asksForOneCall(request, hasTools) ? { parallel_tool_calls: false } : {}),
  reasoning(request, { thinking, to }) {
    const isOff = thinking?.effort === "none" && takesEffort(request.model);
    const options = thinkingOff[compatibilityOf(request.model, to.host).thinkingOffField];
    return isOff && options !== undefined ? { options, budget: 0, warnings: [] } : effortOptions(request, thinking);
  },
  structure(structure, request, to) {
    const isSupported =
      request.model.capabilities?.structuredOutputs ?? compatibilityOf(request.model, to.host).jsonSchema;
    return isSupported ? openaiStructure(structure, request, to) : null;
  },
  completionLimitOption: "max_completion_tokens",
  compatibility: compatibilityOf,
  schemaRules: ({ model, to }) => rulesOfSchemas[compatibilityOf(model, to.host).schemaRules ?? "compatible"],
  callId: (id, { model, to }) => (compatibilityOf(model, to.host).shortCallIds ? shortCallId(id) : openaiCallId(id)),
  files: chatFiles,
  // The package has no option for the role of system messages, but copies these fields into the message.
  systemMessageFields: ({ compat }) =>
    compat?.supportsDeveloperRole === true ? { openaiCompatible: { role: "developer" } } : {},
  addThinking,
  // Only the signature of Gemini's thinking is kept from the package's metadata.
  storedData: ({ kind, metadata, empty, thinkingField, model }) =>
    kind === "thinking" && !empty && thinkingField !== null
      ? { field: thinkingField, model }
      : metadataUnder(metadata, { reported: "openaiCompatible", sent: "google" }),
};

/** The prefix of the variables of a server: `LM_STUDIO` of `lm-studio`. */
const prefixOf = (name: string): string => name.replaceAll("-", "_").toUpperCase();

/** The provider `openai-compatible`: a server that a definition names by `preset`, or by its address. */
export const namedServer: ProviderProfile = {
  ...openaiCompatible,
  presets: Object.keys(modelPresets),
  variables: { keys: ["OPENAI_COMPATIBLE_API_KEY"], baseUrls: [], defaultPath: "" },
  variablesOf(model) {
    const server = presetNamed(model);
    if (server === undefined || model.preset === undefined) return namedServer.variables;
    const { baseUrl, keyVariable, keyless, gatewayPath } = server;
    return {
      keys: [keyVariable],
      baseUrls: [`${prefixOf(model.preset)}_BASE_URL`],
      defaultPath: new URL(baseUrl).pathname.replace(/\/$/, ""),
      defaultBaseUrl: baseUrl,
      keyless: keyless === true,
      ...(gatewayPath === undefined ? {} : { gatewayPath }),
    };
  },
};
