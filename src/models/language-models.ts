// Keeps the language models of the provider packages from request to request. Some packages build their schemas with each language model,
// which takes longer than most other parts of a request. Invariant: a language model contains no state of a request. It
// finds the fetch of a request by the request's abort signal.

import type { LanguageModelV3 } from "@ai-sdk/provider";

import { unreachable } from "#lib/unreachable.ts";

import type { CallTarget, ProviderSettings } from "./provider/provider-profile.ts";

type Fetch = typeof globalThis.fetch;

/** The property of a request's signal that has the fetch of the request. A `WeakMap` would cost more for each request. */
const fetchKey = Symbol("fetch");

type SignalOfRequest = AbortSignal & { [fetchKey]?: Fetch };

/** A language model, and the settings that it was made with. */
interface KeptModel {
  settings: ProviderSettings;
  language: LanguageModelV3;
}

/** The language models of one port, or of several ports. */
export class LanguageModels {
  readonly #kept = new WeakMap<object, KeptModel>();
  readonly #keyOf: (model: CallTarget["model"]) => object;

  /** A language model is kept as long as the object that `keyOf` returns. Default: the definition of the model. */
  constructor(keyOf: (model: CallTarget["model"]) => object = (model) => model) {
    this.#keyOf = keyOf;
  }

  /** The language model for a request. `signal` is the one that the request is sent with, and no other request's. */
  async get(target: CallTarget, signal: AbortSignal, fetch: Fetch): Promise<LanguageModelV3> {
    const { model, to } = target;
    if (to.profile.countsPerRequest === true) return to.profile.load(target, fetch);
    (signal as SignalOfRequest)[fetchKey] = fetch;
    const key = this.#keyOf(model);
    const kept = this.#kept.get(key);
    if (kept !== undefined && isSame(kept.settings, to)) return kept.language;
    const language = await to.profile.load(target, this.#fetchOfRequest);
    this.#kept.set(key, { settings: to, language });
    return language;
  }

  readonly #fetchOfRequest = ((input, init) => {
    const fetch = (init?.signal as SignalOfRequest | null | undefined)?.[fetchKey];
    if (fetch === undefined) unreachable("a provider's package sends each request with the signal of its call");
    return fetch(input, init);
  }) as Fetch;
}

function isSame(a: ProviderSettings, b: ProviderSettings): boolean {
  return a.profile === b.profile && a.apiKey === b.apiKey && a.baseUrl === b.baseUrl;
}
