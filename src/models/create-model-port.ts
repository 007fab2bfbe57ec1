// The model port for all providers. It sends a request, through the AI SDK or to the scripted `test` provider in the same process, and
// converts the stream of the answer. Invariants: `stream` never throws; its last part is the only `finish` or `error`; a stream that ends
// without a finish reason is an error; chunks are passed on as `raw` parts without secrets; when `stream` has ended, the response body was
// read or cancelled, unless connections are reused. It never retries: the retry engine is in core (decision 22: retries).

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { Usage } from "#contract/usage.ts";
import type { ModelFailure, ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { followAbort } from "#lib/follow-abort.ts";
import { systemClock } from "#lib/system-clock.ts";
import { platformTimers, type Timers } from "#lib/timers.ts";

import type { TokenOptions } from "./access-tokens.ts";
import { bindingFetch } from "./ai-binding.ts";
import { prepareCall } from "./call-options.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { classifyFailure, failure } from "./classify-failure.ts";
import { definitionNote, type FileOf } from "./definition-note.ts";
import { directPath, type DirectDeltas } from "./direct-deltas.ts";
import { cutFailure } from "./end-of-answer.ts";
import { gatewayFetch, gatewayLogId, gatewayOfBinding, withGatewayAddress } from "./gateway.ts";
import { withoutThinkingText } from "./hidden-thinking.ts";
import { LanguageModels } from "./language-models.ts";
import { newExchange, noLongerNeeded, observeFetch } from "./observed-fetch.ts";
import { wholeTurnFetch } from "./paused-turn.ts";
import { keyVariable, knownSecrets, ownSecrets, providerSettings } from "./provider-settings.ts";
import type { ModelAccess } from "./provider-settings.ts";
import type { CallTarget } from "./provider/provider-profile.ts";
import { providerOf } from "./provider/providers.ts";
import type { ProviderTools } from "./provider/tools/provider-tools.ts";
import { providerToolsLoader } from "./provider/tools/tool-loader.ts";
import { RawText } from "./raw-text.ts";
import { StreamReading, untilAborted, type Reading } from "./read-stream.ts";
import { notReadyMessage, unusableKey, withFiles, withHint, withKeyHint, type Hint } from "./readiness.ts";
import { createRedact, withoutSecrets, type Redact } from "./redact.ts";
import { RefusedRequest } from "./refused-request.ts";
import { repairedFetch } from "./repaired-fetch.ts";
import { textOfPackage } from "./reported-error.ts";
import { paramsFetch } from "./request-params.ts";
import { sameOriginFetch } from "./same-origin-fetch.ts";
import { thinksInSilence } from "./silent-thinking.ts";
import { Conversion, StreamedError, type Call } from "./stream-conversion.ts";

export { LanguageModels };

/** Dependencies of a model port. */
export interface ModelPortOptions {
  /** Keys and addresses: `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the like for each provider. */
  env: Record<string, unknown>;
  /** Values that are removed from texts, in addition to the keys of providers. */
  secrets?: readonly string[];
  /** Sends every HTTP request. */
  fetch: typeof globalThis.fetch;
  /** The key and the fetch of one model, for a process that has several. Absent, or undefined for a model: those of the port. */
  accessTo?: (model: ModelRequest["model"]) => ModelAccess | undefined | Promise<ModelAccess | undefined>;
  /** Keeps the language models of the provider packages. Default: for the lifetime of the port. */
  languages?: LanguageModels;
  /**
   * Whether plain deltas are read directly (`direct-deltas.ts`). If false, the provider's package reads every event: for tests that compare
   * both. Default: true.
   */
  direct?: boolean;
  /**
   * Milliseconds for which plain deltas of one block are joined, for a reader that does not need each of them. The first delta of a block
   * does not wait, and neither do the last ones of an answer. Default: 0, no delta is joined.
   */
  joinMs?: number;
  /** The file of the definition with a name. Failures name it. Absent: failures name no file. */
  fileOf?: FileOf;
  /** What to change after a failure that neither the provider's text nor its profile explains. Absent: nothing is added. */
  generalHint?: Hint;
  /** Waits between the parts of a scripted answer. Default: a timer. Rejects when the signal aborts. */
  delay?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The timers that limit the silence of a connection that stays open after an answer. Default: the platform's. */
  timers?: Timers;
  /**
   * Whether the rest of a complete answer is read, in the background, so that its connection can be used for the next request. If false,
   * the body is closed at the end of the answer, and nothing continues in the background. Default: false.
   */
  reusesConnections?: boolean;
  /** Milliseconds since 1970, for `Retry-After` dates. */
  now?: () => number;
}

/** Prepares a model request. `warnings` are logged before the request is sent, because the request may fail. */
async function prepared(
  call: Call,
  { languages, fetch, signal }: { languages: LanguageModels; fetch: typeof globalThis.fetch; signal: AbortSignal },
) {
  const { request, settings, watch } = call;
  const target = { model: request.model, to: settings };
  const providerTools = await loadProviderTools(request, target);
  if (providerTools !== null) providerTools.sources = ({ url, title }) => call.chunks.sources.add(url, title);
  call.providerTools = providerTools;
  const { options, warnings, answerTool, names } = prepareCall(request, settings, { signal, providerTools });
  call.answerTool = answerTool;
  call.names = names;
  const toolNames = (options.tools ?? []).map(({ name }) => name);
  const { profile } = settings;
  const { direct } = call;
  const observed = sameOriginFetch(observeFetch(fetch, watch));
  const watched =
    profile.responses?.(observed, watch, signal) ?? repairedFetch(observed, watch, { profile, toolNames, direct });
  const began = (usage: () => Usage | null): void => {
    call.chunks.turnUsage = usage;
  };
  const whole =
    profile.pausesTurns === true ? wholeTurnFetch(watched, profile, { continues: request.continues, began }) : watched;
  const sending = paramsFetch(providerTools?.fetch(whole) ?? whole, request.params);
  const language = await untilAborted(languages.get(target, signal, sending), signal);
  warnings.push(...((await profile.requestWarnings?.(options, target)) ?? []));
  const parts = async (): Promise<ConvertedStream> => {
    const { stream } = await untilAborted(Promise.resolve(language.doStream(options)), signal);
    return new ConvertedStream(direct?.reading(stream, signal) ?? new StreamReading(stream, signal), call);
  };
  return { warnings, parts };
}

function withoutProviderTools({ model: { name } }: ModelRequest): string {
  return `The model "${name}" has providerTools, and the server at its address executes no tools itself. Leave them out, or use another address.`;
}

/** The tools of a request that its provider executes itself; null if it has none. A request that forbids calls has none. */
async function loadProviderTools(request: ModelRequest, target: CallTarget): Promise<ProviderTools | null> {
  const protocol = target.to.profile.providerTools;
  if ((request.model.providerTools ?? []).length === 0 || request.toolChoice === "none") return null;
  // The address of the environment may be that of a server with another protocol than the definition's.
  const load = protocol === undefined ? undefined : providerToolsLoader();
  if (protocol === undefined || load === undefined) throw new RefusedRequest(withoutProviderTools(request));
  const { ProviderTools } = await load();
  return new ProviderTools(protocol, request, target);
}

/** The fetch of a request, with an access token if its provider needs one that is created. */
async function authorizedFetch(options: TokenOptions): Promise<typeof globalThis.fetch> {
  if (options.settings.tokens === undefined) return options.fetch;
  const { tokenFetch } = await options.settings.tokens.loadTokens();
  return tokenFetch(options);
}

/** Creates the port (architecture §4, ModelPort). */
export function createModelPort(options: ModelPortOptions): ModelPort {
  const { env, fetch, accessTo, languages = new LanguageModels(), timers = platformTimers } = options;
  const { reusesConnections: reusesConnection = false, joinMs = 0 } = options;
  const now = options.now ?? Date.now;
  const delay = options.delay ?? systemClock.sleep;
  // Computed when a text is redacted for the first time, because most requests produce no text that may contain a secret.
  let known: { values: readonly string[]; redact: Redact } | undefined;
  const secretsWith = (values: readonly string[]) => ({ values, redact: createRedact(values) });
  const secretsOf = (own: readonly string[]) => {
    const { values } = (known ??= secretsWith([...new Set([...knownSecrets(env), ...(options.secrets ?? [])])]));
    return own.every((value) => values.includes(value)) ? known : secretsWith([...new Set([...values, ...own])]);
  };

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    received: () => void = () => {},
  ): AsyncGenerator<ModelPart> {
    const exchange = newExchange();
    const watch = { exchange, received, timers, reusesConnection };
    const chunks = new ChunkReader();
    let direct: DirectDeltas | null = null;
    let access: ModelAccess = {};
    let target: CallTarget | undefined;
    let own: readonly string[] = [];
    let secrets: ReturnType<typeof secretsOf> | undefined;
    const redact: Redact = (text) => (secrets ??= secretsOf(own)).redact(text);
    const named = (failed: ModelFailure): ModelFailure => withFiles(failed, request.model, options.fileOf);
    /** The last part without secrets, and then with the files of the definitions. */
    const shown = (part: Extract<ModelPart, { type: "finish" | "error" }>): ModelPart => {
      const clean = withoutSecrets(part, redact);
      return clean.type === "error" ? { ...clean, failure: named(clean.failure) } : clean;
    };
    // Aborts the request if this generator ends before the answer is complete.
    const ending = followAbort(signal);
    let isRead = false;
    try {
      signal.throwIfAborted();
      const provider = providerOf(request.model);
      if (provider !== undefined && "play" in provider) {
        yield* provider.play(request, signal, delay);
        return;
      }
      access = (await accessTo?.(request.model)) ?? {};
      own = access.apiKey === undefined ? [] : [access.apiKey];
      const found = providerSettings(request.model, env, access);
      if (found === null) {
        const key = access.apiKey === undefined ? null : keyVariable(request.model);
        const given = key === null ? env : { ...env, [key]: "given" };
        const lacking = failure("not_configured", notReadyMessage(request.model, given));
        yield { type: "error", failure: named(lacking) };
        return;
      }
      const settings = await untilAborted(withGatewayAddress(found, exchange), ending.controller.signal);
      // The key and the token of a gateway may be in variables with any name.
      const ofProvider = ownSecrets(request.model, env);
      own = [settings.apiKey, settings.gateway?.token ?? "", ...ofProvider].filter((value) => value !== "");
      const unusable = unusableKey(request.model, settings);
      if (unusable !== null) throw new RefusedRequest(unusable, { kind: "not_configured" });
      // The text of chunks is redacted only if the request reads `raw` parts.
      if (request.raw !== false) secrets = secretsOf(own);
      const raw = new RawText(secrets?.values ?? [], redact);
      if (options.direct !== false) direct = await directPath(settings.profile, { joinMs, timers, now });
      const call: Call = {
        request,
        settings,
        watch,
        raw,
        answerTool: null,
        names: new Map(),
        providerTools: null,
        chunks,
        direct,
      };
      const { binding } = settings;
      const bound = binding === undefined ? undefined : bindingFetch(binding, gatewayOfBinding(request));
      const created = (token: string): void => {
        own = [...own, token];
        secrets = undefined;
        raw.add(token);
      };
      const given = access.fetch ?? fetch;
      const authorized = await authorizedFetch({ fetch: given, settings, now, created });
      target = { model: request.model, to: settings };
      const carried = settings.profile.transport?.(authorized, { ...target, now }) ?? authorized;
      const sending = bound ?? gatewayFetch(carried, settings, request);
      const sent = { languages, fetch: sending, signal: ending.controller.signal };
      const { warnings, parts } = await prepared(call, sent);
      if (warnings.length > 0 && request.raw !== false) yield { type: "raw", chunk: JSON.stringify({ warnings }) };
      const converted = await parts();
      try {
        for (let next = await converted.next(); next !== null; next = await converted.next()) {
          // The parts are yielded one by one, because `yield*` over a list takes several turns of the event loop for each part.
          for (const part of next) {
            if (part.type === "finish" || part.type === "error")
              yield shown({ ...part, chunks: direct?.chunks, ...gatewayLogId(exchange.headers) });
            else yield part;
          }
        }
        isRead = true;
      } finally {
        converted.close();
      }
    } catch (error) {
      const { usage } = chunks;
      const used = usage === null ? {} : { usage };
      if (error instanceof RefusedRequest) {
        const { kind = "api", ...more } = error.failure;
        // The text is cut before the hint, so that the hint stays whole.
        const clean = withoutSecrets(
          { type: "error", failure: { ...failure(kind, error.message), ...more }, ...used },
          redact,
        );
        if (clean.type !== "error") throw error;
        yield { ...clean, failure: named(await withHint(clean.failure, target, options.generalHint)) };
        return;
      }
      const cause = error instanceof StreamedError ? error.reported : error;
      const context = { exchange, redact, now: now(), aborted: signal.aborted };
      const replaced = textOfPackage(cause, exchange);
      if (replaced !== null && request.raw !== false) {
        yield { type: "raw", chunk: redact(JSON.stringify({ package_error: replaced })) };
      }
      const hinted = await withHint(classifyFailure(cause, context), target, options.generalHint);
      const classified = named(withKeyHint(hinted, request.model, target?.to));
      const ended = { chunks: direct?.chunks, ...gatewayLogId(exchange.headers) };
      yield { type: "error", failure: classified, ...used, ...ended };
    } finally {
      ending.release();
      if (!isRead || !exchange.over) ending.controller.abort(noLongerNeeded);
    }
  }

  return { stream, thinksInSilence, definitionNote: (model) => definitionNote(model, options.fileOf) };
}

/**
 * A stream in conversion. It is not a generator, because each generator between the provider's package and the loop takes processor time for
 * each part.
 */
class ConvertedStream {
  readonly #stream: Reading<readonly LanguageModelV3StreamPart[]>;
  readonly #call: Call;
  readonly #conversion: Conversion;
  readonly #hides: boolean;
  #isOver = false;
  #thrown: { error: unknown } | null = null;

  constructor(stream: Reading<readonly LanguageModelV3StreamPart[]>, call: Call) {
    this.#stream = stream;
    this.#call = call;
    this.#conversion = new Conversion(call);
    this.#hides = call.request.reasoning?.exclude === true;
  }

  /**
   * The next parts; null at the end. Either the last part is the only `finish` or `error`, or `next` throws: a StreamedError for an error
   * that the provider reported, any other error for a broken connection.
   */
  async next(): Promise<readonly ModelPart[] | null> {
    for (;;) {
      if (this.#thrown !== null) throw this.#thrown.error;
      if (this.#isOver) return null;
      const parts = await this.#read();
      if (parts.length > 0) return parts;
    }
  }

  /** Cancels the stream. If the reader stops early, the caller also cancels the request. */
  close(): void {
    this.#stream.close();
  }

  async #read(): Promise<readonly ModelPart[]> {
    try {
      const read = await this.#stream.read();
      if (read === null) return this.#cut();
      const parts = read.flatMap((part) => this.#conversion.take(part));
      const shown = this.#hides ? parts.map(hidden) : parts;
      const last = parts.at(-1)?.type;
      if (last !== "finish" && last !== "error") return shown;
      this.#isOver = true;
      return [...this.#waiting(), ...shown];
    } catch (error) {
      this.#thrown = { error };
      return this.#waiting();
    }
  }

  /** The parts of a stream that ended without a finish reason. */
  #cut(): readonly ModelPart[] {
    this.#isOver = true;
    const { failure: cut, ...end } = cutFailure(this.#call.chunks.usage);
    const isOwn = this.#call.settings.profile.file !== undefined;
    const message = isOwn ? `${cut.message} The last part of an answer is "finish".` : cut.message;
    return [...this.#waiting(), { ...end, failure: { ...cut, message } }];
  }

  /** The chunks that are held back. */
  #waiting(): readonly ModelPart[] {
    return this.#call.raw.end().map((chunk): ModelPart => ({ type: "raw", chunk }));
  }
}

function hidden(part: ModelPart): ModelPart {
  return "provider_data" in part ? withoutThinkingText(part) : part;
}
