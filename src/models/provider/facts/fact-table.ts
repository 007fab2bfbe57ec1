// The form of the tables of token limits, and the search for a model's entry. Each entry has a source and a date. A model without an entry
// is unknown: no limit is derived from the name of a similar model.

import type { FactSource, ModelFacts } from "#core/ports/model-port.ts";

/** Tokens of prompt and answer together, of the prompt alone, of the answer alone. Null: the source does not state the limit. */
type TokenLimits = readonly [contextWindow: number | null, input: number | null, output: number | null];

/** Token limits of a provider's models by id, in groups with one source each. */
export type FactTable = readonly { source: FactSource; models: Readonly<Record<string, TokenLimits>> }[];

// OpenAI names a snapshot `gpt-4.1-2025-04-14`, Anthropic `claude-haiku-4-5-20251001`, Google `gemini-2.0-flash-001`.
const snapshot = /-(?:\d{4}-\d\d-\d\d|\d{8}|\d{3})$/;
// OpenRouter's suffixes that choose among the servers of a model. `:free` and `:extended` are models of their own.
const routing = /:(?:nitro|floor|exacto|online)$/;

/** The facts of a model by its id at the provider; null for an unknown model. A snapshot without an entry has its model's limits. */
export function findFacts(table: FactTable, id: string): ModelFacts | null {
  const plain = id.replace(routing, "");
  for (const known of [plain, plain.replace(snapshot, "")]) {
    for (const { source, models } of table) {
      const limits = Object.hasOwn(models, known) ? models[known] : undefined;
      if (limits === undefined) continue;
      const [contextWindow, inputLimit, outputLimit] = limits;
      return { contextWindow, inputLimit, outputLimit, source };
    }
  }
  return null;
}
