// The facts of models that are known without a definition: token limits, prices and capabilities. `threadhold build` writes those of the
// project's models into the registry, so that a Worker has no others.

import type { LongPromptPrices, TokenPrices } from "./model.ts";

/** The page or file from which facts were read. */
export interface CatalogueSource {
  url: string;
  /** Date of the copy that was read, `YYYY-MM-DD`; the date of the reading if the copy has none. */
  date: string;
}

/** Token limits of a model. Null: the source does not state the limit. */
export interface CatalogueLimits {
  /** Maximal tokens of prompt and answer together. */
  contextWindow: number | null;
  /** Maximal tokens of the prompt, if the provider limits it separately. */
  inputLimit: number | null;
  /** Maximal tokens of one answer, thinking included. */
  outputLimit: number | null;
  source: CatalogueSource;
}

/** Prices of a model. */
export interface CataloguePrices extends TokenPrices {
  longPrompt?: LongPromptPrices;
  source: CatalogueSource;
}

/** What a model can do. Absent: the source does not state it. */
export interface CatalogueCapabilities {
  vision?: boolean;
  functionCalling?: boolean;
  structuredOutputs?: boolean;
  reasoning?: boolean;
  source: CatalogueSource;
}

/** A model at its provider. Each group of facts has its source; an absent group is unknown. */
export interface CatalogueEntry {
  limits?: CatalogueLimits;
  prices?: CataloguePrices;
  capabilities?: CatalogueCapabilities;
}

/** Entries by the name of their table (a provider, or a preset) and the provider's id of the model. */
export type ModelCatalogue = Readonly<Record<string, Readonly<Record<string, CatalogueEntry>>>>;
