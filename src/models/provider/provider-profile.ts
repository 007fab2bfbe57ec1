// The interface of a provider: everything that the runtime knows about one service lies in one file that implements it. The
// rest of `models` asks the profile and never compares names. Members that are optional describe deviations; a provider
// without them behaves as the member's comment says.

import type {
  JSONObject,
  LanguageModelV3,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnswerSource, ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record.ts";
import type { AnyModelDefinition, AnyModelProvider, OpenAIProtocol } from "#spec/index.ts";

import type { ThinkingRequest } from "../thinking-request.ts";

/** Environment variables of a provider. */
interface ProviderVariables {
  /** Names of the key. Messages to users name the first one. */
  keys: readonly [string, ...string[]];
  baseUrls: readonly string[];
  /** Path of the API. It is added to an address that is only a host, the form in which other tools write it. */
  defaultPath: string;
}

/** Profile, key and address of one call. */
export interface ProviderSettings {
  profile: ProviderProfile;
  apiKey: string;
  /** Null: the provider's default address. */
  baseUrl: string | null;
  /** The host of `baseUrl` in lower case; null for the default address and for an invalid one. */
  host: string | null;
  /** The owner of opaque data that this request may carry. Data that is stored under another owner is not sent. */
  owner: string;
}

/** A model and the settings of the call. */
export interface CallTarget {
  model: AnyModelDefinition;
  to: ProviderSettings;
}

/** How thinking changes a request. */
export interface ReasoningOptions {
  /** Options under the provider's name. */
  options: JSONObject;
  /** Tokens that the package adds to the limit of the answer for thinking. */
  budget: number;
  /** Requested options that were changed or left out, as sentences for the log. */
  warnings: string[];
}

/** The options of a request that does not ask for thinking. */
export const noReasoning: ReasoningOptions = { options: {}, budget: 0, warnings: [] };

/** What a request asks of thinking, and the limit of its answer. */
export interface ReasoningInput {
  /** Null: the request does not ask for thinking. */
  thinking: ThinkingRequest | null;
  /** Tokens of the answer, thinking included; null without a limit. */
  maxTokens: number | null;
  to: ProviderSettings;
}

/** The fields in which servers of Chat Completions send thinking; `content` is a list of parts, some of them thinking. */
export type ThinkingField = "reasoning_content" | "reasoning" | "content";

/** Token counts in one chunk; null for a count that it does not have. */
export type ChunkUsage = Record<Exclude<keyof Usage, "total_tokens">, number | null>;

/** Facts in one chunk of a stream that the provider's package drops. Absent fields change nothing. */
export interface ChunkFacts {
  /** The model that answered. */
  modelId?: string;
  /** The provider's explanation of its stop reason. */
  stopDetail?: string | null;
  usage?: ChunkUsage | null;
  thinkingField?: ThinkingField | null;
  /** Pieces of tool calls, as Chat Completions number them. */
  calls?: readonly unknown[];
  sources?: readonly Partial<Record<keyof AnswerSource, unknown>>[];
}

/** A block of an answer whose opaque data is to be stored. */
export interface AnsweredBlock {
  kind: "text" | "thinking" | "toolcall";
  /** The package's metadata of the block, by the name under which the package reports it. */
  metadata: JsonObject;
  /** The block has no text. */
  empty: boolean;
  /** The field that last held thinking; null if there was none. */
  thinkingField: ThinkingField | null;
  /** The model's id at the provider. */
  model: string;
}

/** A piece of a stream that the package's version of the protocol does not have; `block` names a whole unknown block. */
export interface UnknownPiece {
  block: string | null;
}

/** A provider that is called over the network through its package of the AI SDK. */
export interface ProviderProfile {
  /** The value of a definition's `provider`, or the name of a protocol that the provider chooses by address. */
  name: AnyModelProvider;
  variables: ProviderVariables;
  /** Accepted values of a definition's `api`. Absent: none. */
  apis?: readonly OpenAIProtocol[];
  /** The profile of the protocol that is spoken at a host; null is the default address. Absent: this profile. */
  atHost?: (model: AnyModelDefinition, host: string | null) => ProviderProfile;
  /** The owner of opaque data at a host. Absent: the name. */
  ownerAt?: (host: string | null) => string;

  /** Loads the package and binds it to the key, the address and a fetch. The package is imported here and not before. */
  load: (target: CallTarget, fetch: typeof globalThis.fetch) => Promise<LanguageModelV3>;
  /** The name under which the package reads the options of a request. */
  optionsName: string;
  /** Options of a request without those of reasoning. Absent: none. */
  options?: (request: ModelRequest, hasTools: boolean) => JSONObject;
  /** Options of the thinking that a request asks for. */
  reasoning: (request: ModelRequest, input: ReasoningInput) => ReasoningOptions;
  /** The limit of an answer without one, for a provider that demands a limit. */
  defaultMaxTokens?: number;
  /** The option that sends the limit as `max_completion_tokens` in place of `max_tokens`. Absent: there is none. */
  completionLimitOption?: string;
  /** Whether a model refuses `max_tokens` and any temperature although the package sends them. Absent: none does. */
  refusesSampling?: (model: string) => boolean;

  /** The JSON Schema of a tool's arguments in the subset that the provider accepts. Absent: every schema is accepted. */
  toolSchema?: (parameters: JsonObject, model: string) => JsonObject;
  /** Fields added to each tool. */
  toolFields?: Pick<LanguageModelV3FunctionTool, "strict">;
  /** Whether a model refuses earlier calls of tools that the request does not define. Absent: none does. */
  needsToolDefinitions?: (model: string) => boolean;
  /** The form of a call's id that the provider accepts. Equal ids stay equal. Absent: every id is accepted. */
  callId?: (id: string, to: ProviderSettings) => string;

  /** Turns alternate, begin with the user and have the system prompt in front of them. */
  alternatesTurns: boolean;
  /** Results of tools can hold images. */
  imagesInToolResults: boolean;
  /** Results of tools have a flag for errors. Without one the text begins with `Error`. */
  flagsToolErrors: boolean;
  /** Types of files other than images that the package sends. */
  fileTypes: RegExp;
  /** The package sends files of these types by URL too. */
  filesByUrl: boolean;
  /** Fields of a system message. Absent: none. */
  systemMessageFields?: (model: AnyModelDefinition) => NonNullable<LanguageModelV3Message["providerOptions"]>;
  /** Adds the thinking of an assistant's turn outside of its content. Absent: thinking is a part of the content. */
  addThinking?: (
    message: Extract<LanguageModelV3Message, { role: "assistant" }>,
    parts: readonly StoredPart[],
    target: CallTarget,
  ) => void;
  /** Adds cache marks to a prompt and its tools, in place. Absent: the provider caches without marks in the prompt. */
  markCache?: (
    model: AnyModelDefinition,
    prompt: LanguageModelV3Prompt,
    tools: readonly LanguageModelV3FunctionTool[],
  ) => void;

  /** The stream has chunks of Chat Completions, which are repaired before the package reads them. */
  speaksChatCompletions: boolean;
  /** The events of an answer that is one document in place of a stream. Absent: such an answer is an error. */
  eventsOfDocument?: (value: unknown) => string;
  /** The event that reports an error in the provider's streaming protocol. */
  errorEvent: (error: unknown) => string;
  /** Reads from a chunk what the package drops. */
  readChunk: (chunk: Readonly<Record<string, unknown>>) => ChunkFacts;
  /** The unknown piece in a typed chunk that the package cannot read; null for an error. Absent: every type but `error` is unknown. */
  unknownPiece?: (chunk: Readonly<Record<string, unknown>>) => UnknownPiece | null;
  /** The package closes every call when the stream ends, also after an interruption. */
  closesCallsAtEnd: boolean;
  /** The package replaces arguments that are not JSON, so the arguments are read from the chunks. */
  argumentsFromChunks?: boolean;
  /** The package reports the data of the thinking again with the first call. It is stored once. */
  repeatsThinkingData?: boolean;
  /** Whether the metadata of a block holds thinking that the provider keeps to itself. Absent: none does. */
  isRedacted?: (metadata: JsonObject) => boolean;
  /** The opaque data that is stored with a block and sent back; null for none. Absent: the metadata under the name. */
  storedData?: (block: AnsweredBlock) => JsonObject | null;
  /** The cost of an answer in USD. Absent: the provider reports none. */
  reportedCost?: (metadata: JsonObject) => number | null;
}

/** A provider that answers in the process, without a key and without the network. */
export interface LocalProvider {
  name: AnyModelProvider;
  /** Whether a model can be called. */
  isReady: (model: AnyModelDefinition) => boolean;
  /** Answers a request. `delay` waits, and rejects when the signal aborts. */
  play: (
    request: ModelRequest,
    signal: AbortSignal,
    delay: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  ) => AsyncIterable<ModelPart>;
}

function isFields(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The non-empty metadata that a package reports under one name, stored under the name that it reads; null for none. */
export function metadataUnder(
  metadata: JsonObject,
  { reported, sent = reported }: { reported: string; sent?: string },
  pick: (fields: JsonObject) => JsonObject = (fields) => fields,
): JsonObject | null {
  const fields = metadata[reported];
  if (!isFields(fields)) return null;
  const kept = Object.entries(pick(fields)).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return kept.length === 0 ? null : { [sent]: Object.fromEntries(kept) };
}
