// Metadata of a model in addition to its definition: the facts of the catalogue, and whether the variables that it needs are set. The
// routes of definitions and the code that sends requests use the same types.

import type { CatalogueCapabilities, CatalogueSource } from "./model-catalogue.ts";
import type { LongPromptPrices, TokenPrices } from "./model.ts";

/** The facts of a model. A source is null if the definition states all facts of its group, or none is known. */
export interface ModelFacts {
  /** Token limits. Null: not known. */
  limits: Record<"contextWindow" | "inputLimit" | "outputLimit", number | null>;
  limitsSource: CatalogueSource | null;
  prices: TokenPrices & { longPrompt?: LongPromptPrices };
  pricesSource: CatalogueSource | null;
  /** What the catalogue states. A definition overrides it. Null: not known. */
  capabilities: CatalogueCapabilities | null;
}

/** Whether a model can be called, and the names of all variables that it lacks, or of the binding. */
export interface ModelReadiness {
  ready: boolean;
  missing: readonly string[];
}

/** A search of the catalogue, and the page of its result. */
export interface CatalogueQuery {
  query: string;
  offset: number;
  limit: number;
}

/** A model of the catalogue, and the file that defines it in a project. */
export interface CatalogueModel {
  provider: string;
  preset: string | null;
  model: string;
  facts: ModelFacts;
  file: string;
  definition: string;
}
