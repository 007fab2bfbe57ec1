// The model port over all providers: through the AI SDK over the network, or in the process for the scripted `test` provider.
// Invariants: `stream` never throws; it ends with exactly one `finish` or `error`; when it has ended the request is over,
// its body read or cancelled. It never retries: the one retry engine is in core (decision 22: retries).

import type { ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { systemClock } from "#lib/system-clock.ts";

import { prepareCall } from "./call-options.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { classifyFailure, failure } from "./classify-failure.ts";
import { convertStream, StreamedError } from "./convert-stream.ts";
import { newExchange, observeFetch, type Watch } from "./observed-fetch.ts";
import { knownSecrets, providerSettings } from "./provider-settings.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";
import { providerNamed } from "./provider/providers.ts";
import { RawText } from "./raw-text.ts";
import { readStream, untilAborted } from "./read-stream.ts";
import { notReadyMessage, withKeyHint } from "./readiness.ts";
import { createRedact, type Redact } from "./redact.ts";
import { repairedFetch } from "./repaired-fetch.ts";
import { sameOriginFetch } from "./same-origin-fetch.ts";
import { thinksInSilence } from "./silent-thinking.ts";

/** Dependencies of a model port. */
export interface ModelPortOptions {
  /** Keys and addresses: `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the like for each provider. */
  env: Record<string, unknown>;
  /** Carries every request. */
  fetch: typeof globalThis.fetch;
  /** Waits; a timer when absent. Rejects when the signal aborts. */
  delay?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since 1970, for `Retry-After` dates. */
  now?: () => number;
}

interface Call {
  request: ModelRequest;
  settings: ProviderSettings;
  watch: Watch;
  raw: RawText;
  chunks: ChunkReader;
}

/** Prepares a call. `warnings` are logged before the request, which may be refused. */
async function prepared(call: Call, fetch: typeof globalThis.fetch, signal: AbortSignal) {
  const { request, settings, watch, raw, chunks } = call;
  const watched = repairedFetch(sameOriginFetch(observeFetch(fetch, watch)), settings.profile);
  const language = await settings.profile.load({ model: request.model, to: settings }, watched);
  const { options, warnings } = prepareCall(request, settings, signal);
  const parts = async (): Promise<AsyncIterable<ModelPart>> => {
    const { stream } = await untilAborted(Promise.resolve(language.doStream(options)), signal);
    return convertStream(readStream(stream, signal), { request, settings, raw, chunks, exchange: watch.exchange });
  };
  return { warnings, parts };
}

/** Makes the port (architecture §4, ModelPort). */
export function createModelPort(options: ModelPortOptions): ModelPort {
  const { env, fetch } = options;
  const now = options.now ?? Date.now;
  const delay = options.delay ?? systemClock.sleep;
  const secrets = knownSecrets(env);
  const redact = createRedact(secrets);

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    received: () => void = () => {},
  ): AsyncGenerator<ModelPart> {
    const exchange = newExchange();
    const watch = { exchange, received, delay };
    const chunks = new ChunkReader();
    // Aborts the request whenever this generator ends, however it ends.
    const ending = new AbortController();
    try {
      signal.throwIfAborted();
      const provider = providerNamed(request.model.provider);
      if (provider !== undefined && "play" in provider) {
        yield* provider.play(request, signal, delay);
        return;
      }
      const settings = providerSettings(request.model, env);
      if (settings === null) {
        yield { type: "error", failure: failure("not_configured", notReadyMessage(request.model)) };
        return;
      }
      const call = { request, settings, watch, raw: new RawText(secrets, redact), chunks };
      const { warnings, parts } = await prepared(call, fetch, AbortSignal.any([signal, ending.signal]));
      if (warnings.length > 0) yield { type: "raw", chunk: JSON.stringify({ warnings }) };
      for await (const part of await parts()) yield withoutSecrets(part, redact);
    } catch (error) {
      const cause = error instanceof StreamedError ? error.reported : error;
      const context = { exchange, redact, now: now(), aborted: signal.aborted };
      const { usage } = chunks;
      const classified = withKeyHint(classifyFailure(cause, context), request.model);
      yield { type: "error", failure: classified, ...(usage === null ? {} : { usage }) };
    } finally {
      ending.abort();
    }
  }

  return { stream, thinksInSilence };
}

// figures: the longest stored text of a provider about its stop reason, in UTF-16 units.
const longestDetail = 500;

/** Removes secrets from the provider's texts in the last part. The texts are stored in rows, so their length is bounded. */
function withoutSecrets(part: ModelPart, redact: Redact): ModelPart {
  if (part.type === "finish") {
    const { stop_detail, sources, ...finish } = part;
    const detail = stop_detail === undefined ? {} : { stop_detail: redact(stop_detail).slice(0, longestDetail) };
    const cited = sources?.map(({ url, title }) => ({
      url: redact(url),
      ...(title === undefined ? {} : { title: redact(title) }),
    }));
    return { ...finish, ...detail, ...(cited === undefined ? {} : { sources: cited }) };
  }
  if (part.type !== "error") return part;
  return { ...part, failure: { ...part.failure, message: redact(part.failure.message).slice(0, longestDetail) } };
}
