// The interface of a provider. Everything that is specific to one provider is in one file, which implements this interface. The other files
// of `models` read the profile and never compare provider names. In these comments, "package" means the provider's package of the AI SDK.
// Optional members describe deviations: their comments state what an absent member means.

import type {
  JSONObject,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnswerSource, AnswerStructure, ModelFailure, ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { isObject } from "#lib/json-value.ts";
import type { AnyModelDefinition, AnyModelProvider, ModelCompatibility, OpenAIProtocol } from "#spec/index.ts";

import type { AiBinding, aiBindingName } from "../ai-binding.ts";
import type { GatewaySettings } from "../gateway.ts";
import type { Watch } from "../observed-fetch.ts";
import type { WireRules } from "../schema/wire-rules.ts";
import type { StreamRepair } from "../stream-repair.ts";
import type { ThinkingRequest } from "../thinking-request.ts";
import type { AcceptedFiles } from "./accepted-files.ts";
import type { CloudAccess, Credentials } from "./cloud-access.ts";
import type { PlainWire } from "./plain/plain-delta.ts";

/** Environment variables of a provider. */
export interface ProviderVariables {
  /** Names of the variable for the API key. Messages to users name the first one. Empty for a provider of a binding. */
  keys: readonly string[];
  baseUrls: readonly string[];
  /** Path of the API. It is appended if the variable contains only a host, as variables for other tools often do. */
  defaultPath: string;
  /** The address, for a provider whose package has none of its own. */
  defaultBaseUrl?: string;
  /** Variables that requests need, all of them, whose values are secrets. Absent: none besides the key. */
  required?: readonly string[];
  /** The server usually needs no key. */
  keyless?: boolean;
  /** The path of the provider's API below the address of an AI Gateway: `anthropic/v1`. Absent: AI Gateway has none. */
  gatewayPath?: string;
  /** The binding of the Worker that sends the requests, in place of a key. Absent: requests are sent over the network. */
  binding?: typeof aiBindingName;
  /** How a cloud is reached, whose address belongs to an account. Absent: the address and the key are all that is needed. */
  cloud?: CloudAccess;
}

/** The profile, the API key and the address for requests to a model. */
export interface ProviderSettings {
  profile: ProviderProfile;
  /** Empty for a server without a key. */
  apiKey: string;
  /** The values of the variables that sign requests, by name. Absent: requests are not signed. */
  credentials?: Readonly<Record<string, string>>;
  /** Null: the provider's default address. */
  baseUrl: string | null;
  /** The host of `baseUrl` in lower case; null for the default address and for an invalid one. */
  host: string | null;
  /** The owner of opaque data that requests with these settings may contain. Data that is stored under another owner is not sent. */
  owner: string;
  /** The binding that sends the requests. Absent: the port's fetch. */
  binding?: AiBinding;
  /** The AI Gateway through which the requests go. Absent: none, or the binding's. */
  gateway?: GatewaySettings;
  /** What access tokens are created from. Absent: none are needed. */
  tokens?: Required<Pick<CloudAccess, "tokenRequest" | "loadTokens">> & { credentials: Credentials };
  /** The bindings and variables of the Worker, for a provider of the project's own. */
  env?: Readonly<Record<string, unknown>>;
}

/** The fields of a definition that a provider may refuse. */
export type RefusableFields = Pick<
  AnyModelDefinition,
  | "provider"
  | "model"
  | "api"
  | "preset"
  | "baseUrl"
  | "keyVariable"
  | "gateway"
  | "headers"
  | "includedProviders"
  | "cache"
  | "compat"
  | "providerTools"
  | "script"
>;

/** A field of a definition that its provider does not accept, and the reason. */
export interface RefusedField {
  field: keyof RefusableFields;
  reason: string;
}

/** The refusal of a header that a provider sets itself. */
export function refusedHeader({ headers = {} }: RefusableFields, own: RegExp, who: string): RefusedField | undefined {
  const header = Object.keys(headers).find((name) => own.test(name));
  const reason = `${who} sets the header "${String(header)}" itself, or sends none; leave it out`;
  return header === undefined ? undefined : { field: "headers", reason };
}

/** Where the catalogue has the facts of a model. */
export interface CataloguePlace {
  /** The name of the table. */
  table: string;
  /** The prices of the table hold at this address, and the provider does not report the cost itself. */
  hasPrices: boolean;
}

/** Returns the place in a table whose prices hold at the address of one host alone; null is the default address. */
export function placeIn(table: string, ownHost: string, host: string | null): CataloguePlace {
  return { table, hasPrices: host === null || host === ownHost };
}

/** A model and the settings for requests to it. */
export interface CallTarget {
  model: AnyModelDefinition;
  to: ProviderSettings;
}

/** The effect of thinking on a request. */
export interface ReasoningOptions {
  /** Request options, for the package. */
  options: JSONObject;
  /** Tokens for thinking that the package adds to the limit of the answer. */
  budget: number;
  /** Requested options that were changed or left out, as sentences for the log. */
  warnings: string[];
}

/** The options of a request that does not ask for thinking. */
export const noReasoning: ReasoningOptions = { options: {}, budget: 0, warnings: [] };

/** The thinking that a request asks for, and the limit of its answer. */
export interface ReasoningInput {
  /** Null: the request does not ask for thinking. */
  thinking: ThinkingRequest | null;
  /** Tokens of the answer, thinking included; null without a limit. */
  maxTokens: number | null;
  to: ProviderSettings;
}

/** A structure in the form of the provider's API. */
export interface NativeStructure {
  schema: JsonObject;
  /** Request options, for the package. */
  options: JSONObject;
}

/** The fields in which servers of Chat Completions send thinking; `content` is a list of parts, some of them thinking. */
export type ThinkingField = "reasoning_content" | "reasoning" | "content";

/** Token counts in one chunk; null for a count that the chunk does not contain. */
export type ChunkUsage = Record<Exclude<keyof Usage, "total_tokens">, number | null>;

/** Facts in one chunk of a stream that the package drops. Absent fields change nothing. */
export interface ChunkFacts {
  /** The model that answered. */
  modelId?: string;
  /** The provider's explanation of its stop reason. */
  stopDetail?: string | null;
  /** The stop reason itself, for a package that drops it after an event that it could not read. */
  stopReason?: string | null;
  usage?: ChunkUsage | null;
  thinkingField?: ThinkingField | null;
  /** Pieces of tool calls, with their numbers in Chat Completions. */
  calls?: readonly unknown[];
  sources?: readonly Partial<Record<keyof AnswerSource, unknown>>[];
  /** A piece of a spoken answer: its audio in base64, and its text. */
  speech?: { data?: string; transcript?: string };
}

/** A block of an answer whose opaque data is to be stored. */
export interface AnsweredBlock {
  kind: "text" | "thinking" | "toolcall";
  /** The metadata of the block that the package reports, by name. */
  metadata: JsonObject;
  /** The block has no text. */
  empty: boolean;
  /** The field that last held thinking; null if there was none. */
  thinkingField: ThinkingField | null;
  /** The model's id at the provider. */
  model: string;
}

/** Thinking of an earlier answer: its text, and the opaque data that was stored with it. */
interface SentThought {
  text: string;
  own: Readonly<Record<string, JSONObject>>;
}

/** The protocols of tools that a provider executes itself. */
export type ProviderToolProtocol =
  | "claude"
  | "vertex-claude"
  | "responses"
  | "gemini"
  | "vertex-gemini"
  | "converse"
  | "openrouter";

/** A piece of a stream that the package does not know. `block` is its number if it begins a whole unknown block. */
export interface UnknownPiece {
  block: string | null;
}

/** A provider that is called over the network through its package of the AI SDK. */
export interface ProviderProfile {
  /** The value of a definition's `provider`, or the name of a protocol that `atHost` chooses. */
  name: AnyModelProvider;
  /** The file of the project that defines the provider. Failures name it. Absent: the provider is built in. */
  file?: string;
  /** The provider's name in OpenTelemetry's semantic conventions. Absent: `name`. */
  telemetryName?: string;
  variables: ProviderVariables;
  /** Returns the variables of one model. Absent: `variables`. */
  variablesOf?: (model: Pick<AnyModelDefinition, "preset">) => ProviderVariables;
  /** Accepted values of a definition's `preset`; the definition needs one of them, or a `baseUrl`. Absent: none. */
  presets?: readonly string[];
  /** Returns the first field of a definition, among those that only some providers have, that this provider cannot use. Absent: it has no such fields. */
  refusedField?: (model: RefusableFields) => RefusedField | undefined;
  /** Whether a definition may choose among upstream providers (`includedProviders`). Absent: it may not. */
  choosesProviders?: true;
  /** Accepted values of a definition's `api`. Absent: none. */
  apis?: readonly OpenAIProtocol[];
  /** Returns the profile of the protocol that a host uses; null is the default address. Absent: this profile. */
  atHost?: (model: AnyModelDefinition, host: string | null) => ProviderProfile;
  /** Returns the owner of opaque data at a host. Absent: the profile's name. */
  ownerAt?: (host: string | null) => string;

  /**
   * Loads the package and configures it with the API key, the address and a fetch. The package is not imported before the first call. The
   * result depends on the target alone and is used for several requests, except with `countsPerRequest`.
   */
  load: (target: CallTarget, fetch: typeof globalThis.fetch) => Promise<LanguageModelV3>;
  /**
   * Creates the fetch that sends the requests of the package, for a provider that signs requests, or whose answers are no text. `now` returns
   * milliseconds since 1970. Absent: the fetch of the port.
   */
  transport?: (fetch: typeof globalThis.fetch, target: CallTarget & { now: () => number }) => typeof globalThis.fetch;
  /** Whether the loaded model counts something within a request, so that each request needs one of its own. */
  countsPerRequest?: boolean;
  /** Returns what a request does not ask for although the model request does, as sentences for the log. Absent: nothing. */
  requestWarnings?: (options: LanguageModelV3CallOptions, target: CallTarget) => Promise<string[]>;
  /** Creates the fetch of a model that reads any response. Absent: each successful response is a stream of events, which is repaired. */
  responses?: (fetch: typeof globalThis.fetch, watch: Watch, signal: AbortSignal) => typeof globalThis.fetch;
  /** The name under which the package reads the options of a request. */
  optionsName: string;
  /** Returns the options of a request, without those for thinking. Absent: none. */
  options?: (request: ModelRequest, hasTools: boolean) => JSONObject;
  /** Returns the options for the thinking that a request asks for. */
  reasoning: (request: ModelRequest, input: ReasoningInput) => ReasoningOptions;
  /** The place of a model at a host in the catalogue; null is the default address. Absent: no model is known. */
  catalogueAt?: (model: AnyModelDefinition, host: string | null) => CataloguePlace | null;
  /** The limit of an answer if the request has none, for a provider that requires a limit. */
  defaultMaxTokens?: number;
  /** The name of the option that sends the limit as `max_completion_tokens` instead of `max_tokens`. Absent: no such option. */
  completionLimitOption?: string;

  /** Whether it reads the fields of a definition's `compat`. Absent: it reads `supportsTemperature` alone. */
  readsCompat?: true;
  /** Returns how a model and its server differ from OpenAI's. Absent: the definition's `compat`. */
  compatibility?: (model: AnyModelDefinition, host: string | null) => ModelCompatibility;

  /**
   * Returns the form in which the provider's API takes the structure of an answer; null if the API cannot express it, or the model does
   * not support it. Then the answer is requested as the arguments of a forced tool call. Absent: null for every structure.
   */
  structure?: (structure: AnswerStructure, request: ModelRequest, to: ProviderSettings) => NativeStructure | null;
  /**
   * The fields of a request's body that `params` cannot set, because the runtime sets them or relies on their default. A path with dots is
   * a field of an inner object. Names are compared without case and underscores.
   */
  reservedFields: readonly string[];

  /** The rules of the provider for the schemas of tools. The result is the same object for equal targets. */
  schemaRules: (target: CallTarget) => WireRules;
  /** The protocol of the tools that the provider executes itself. Absent: it has none. */
  providerTools?: ProviderToolProtocol;
  /** Fields added to each tool. */
  toolFields?: Pick<LanguageModelV3FunctionTool, "strict">;
  /** Whether a model refuses earlier calls of tools that the request does not define. Absent: no model does. */
  needsToolDefinitions?: (model: string) => boolean;
  /** Converts the id of a tool call to a form that the provider accepts. Equal ids stay equal. Absent: every id is accepted. */
  callId?: (id: string, target: CallTarget) => string;

  /** The roles of messages have to alternate, beginning with the user; the system prompt has to be first. */
  alternatesTurns: boolean;
  /** Tool results can contain images. */
  imagesInToolResults: boolean;
  /** Tool results can contain the files of `files.bytes`. Absent: a line of text names each file. */
  filesInToolResults?: true;
  /** Whether a result with images needs a text. */
  resultsNeedText?: true;
  /** Tool results have a flag for errors. Without the flag, the text of an error begins with `Error`. */
  flagsToolErrors: boolean;
  /** The files that user messages can contain, in addition to images. Texts are sent as text unless `text/plain` is among the types. */
  files: AcceptedFiles;
  /** Set if the API requires a name for each file. Absent: names are optional. */
  needsFileNames?: true;
  /** Fields of a system message. Absent: none. */
  systemMessageFields?: (model: AnyModelDefinition) => NonNullable<LanguageModelV3Message["providerOptions"]>;
  /** Adds the thinking of an assistant message outside of its content. Absent: thinking is a part of the content. */
  addThinking?: (
    message: Extract<LanguageModelV3Message, { role: "assistant" }>,
    parts: readonly StoredPart[],
    target: CallTarget,
  ) => void;
  /** The parts of a definition's `cache` that requests to a model can mark. Absent: none. */
  cacheParts?: (model: string) => readonly ("system" | "tools" | "messages")[];
  /** Adds cache marks to a prompt and its tools, in place. Absent: the prompt has no marks, because the provider needs none there. */
  markCache?: (
    model: AnyModelDefinition,
    prompt: LanguageModelV3Prompt,
    tools: readonly LanguageModelV3FunctionTool[],
  ) => void;

  /** The profile whose plain deltas this one has (`plain/`), or a function that loads those of a wire that few programs use. Absent: its own. */
  plainDeltasOf?: ProviderProfile | (() => Promise<PlainWire>);
  /** Creates the repair of one stream. `toolNames` are the tools that the request offers. Absent: events are not repaired. */
  streamRepair?: (toolNames: readonly string[]) => StreamRepair;
  /** The provider pauses long turns, and continues them if the answer is sent back. */
  pausesTurns?: true;
  /**
   * Converts an answer that is one document instead of a stream to events. Null for a document that is no answer. Absent: such a document
   * is an error.
   */
  eventsOfDocument?: (value: unknown) => string | null;
  /** Returns a sentence for the user about a failure that the provider's text does not explain; null for none. Absent: none. */
  explain?: (failure: ModelFailure, target: CallTarget) => string | null | Promise<string | null>;
  /** Returns the event that reports an error in the provider's streaming protocol. */
  errorEvent: (error: unknown) => string;
  /** Reads from a chunk the facts that the package drops. */
  readChunk: (chunk: Readonly<Record<string, unknown>>) => ChunkFacts;
  /** Returns the media type of the audio in `speech`, from the params of the request. Absent: chunks have no `speech`. */
  speechType?: (params: JsonObject | undefined) => string;
  /**
   * Returns the unknown piece in a chunk with a `type` that the package cannot read; null for an error. Absent: all types but `error` are
   * unknown.
   */
  unknownPiece?: (chunk: Readonly<Record<string, unknown>>) => UnknownPiece | null;
  /** The package closes every tool call when the stream ends, even after an interruption. */
  closesCallsAtEnd: boolean;
  /** The package replaces tool arguments that are not JSON, so the arguments are read from the chunks. */
  argumentsFromChunks?: boolean;
  /** The package reports the metadata of the thinking again with the first tool call. It is stored once. */
  repeatsThinkingData?: boolean;
  /** Whether the metadata of a block contains thinking that the provider does not show. Absent: never. */
  isRedacted?: (metadata: JsonObject) => boolean;
  /** Whether thinking with this metadata has the signature that the provider requires. Absent: the provider requires none. */
  isSigned?: (metadata: Readonly<Record<string, unknown>>) => boolean;
  /** Returns the data that is sent with thinking, from its stored data. Absent: the stored data. */
  thinkingData?: (thought: SentThought, target: CallTarget) => Record<string, JSONObject>;
  /** Returns the opaque data that is stored with a block and sent back; null for none. Absent: the metadata under the profile's name. */
  storedData?: (block: AnsweredBlock) => JsonObject | null;
  /** Returns the cost of an answer in USD. Absent: the provider reports none. */
  reportedCost?: (metadata: JsonObject) => number | null;
}

/** A provider that answers in the same process, without an API key and without the network. */
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

/**
 * The non-empty metadata that the package reports under the name `reported`, stored under `sent`, the name that the package reads; null if
 * there is none.
 */
export function metadataUnder(
  metadata: JsonObject,
  { reported, sent = reported }: { reported: string; sent?: string },
  pick: (fields: JsonObject) => JsonObject = (fields) => fields,
): JsonObject | null {
  const fields = metadata[reported];
  if (!isObject(fields)) return null;
  const kept = Object.entries(pick(fields)).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return kept.length === 0 ? null : { [sent]: Object.fromEntries(kept) };
}
