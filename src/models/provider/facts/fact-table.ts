// The form of the tables of models, and the search for a model's entry. Each group of rows has a source and a date. A fact without a source
// is absent: none is derived from the name of a similar model. `scripts/models-catalogue.mjs` writes the groups of models.dev.

import type {
  CatalogueCapabilities,
  CatalogueEntry,
  CataloguePrices,
  CatalogueSource,
  TokenPrices,
} from "#spec/index.ts";

/** USD per million tokens. Null: the source states none. */
type Prices = readonly [input: number, output: number, cacheRead: number | null, cacheWrite: number | null];

/** The prices of requests whose prompt has more tokens than the first number. */
type LongPromptPrices = readonly [above: number, ...Prices];

/**
 * The facts of a model. The limits are tokens of prompt and answer together, of the prompt alone, and of the answer alone. Each letter is a
 * capability, a capital if the model has it: V vision, T tools, S structured output, R reasoning; X marks a model that its provider retires.
 */
type ModelRow = readonly [
  contextWindow: number | null,
  input: number | null,
  output: number | null,
  prices?: Prices | null,
  letters?: string,
  longPrompt?: LongPromptPrices,
];

/** The models of a provider by id, in groups with one source each. The first group that states a fact counts. */
export type FactTable = readonly { source: CatalogueSource; models: Readonly<Record<string, ModelRow>> }[];

// OpenAI names a snapshot `gpt-4.1-2025-04-14`, Anthropic `claude-haiku-4-5-20251001`, Google `gemini-2.0-flash-001`.
const snapshot = /-(?:\d{4}-\d\d-\d\d|\d{8}|\d{3})$/;
// OpenRouter's suffixes that choose among the servers of a model. `:free` and `:extended` are models of their own.
const routing = /:(?:nitro|floor|exacto|online)$/;

// The name of a model at Vertex AI that names no snapshot.
const unversioned = "@default";

/** The facts of a model by its id at the provider; null for an unknown model. A snapshot without an entry has its model's facts. */
export function findEntry(table: FactTable, id: string): CatalogueEntry | null {
  const plain = id.replace(routing, "");
  for (const known of [plain, plain.replace(snapshot, ""), `${plain}${unversioned}`]) {
    const entries = table.flatMap(({ source, models }) => {
      const row = Object.hasOwn(models, known) ? models[known] : undefined;
      return row === undefined ? [] : [entryOf(row, source)];
    });
    if (entries.length > 0) return Object.assign({}, ...entries.toReversed()) as CatalogueEntry;
  }
  return null;
}

/** The ids of a table, without the models that their provider retires. */
export function currentIds(table: FactTable): string[] {
  const ids = table.flatMap(({ models }) =>
    Object.entries(models).filter(([, [, , , , letters = ""]]) => !letters.includes("X")),
  );
  return [...new Set(ids.map(([id]) => id))].toSorted();
}

function entryOf(row: ModelRow, source: CatalogueSource): CatalogueEntry {
  const [contextWindow, inputLimit, outputLimit, prices = null, letters = "", long] = row;
  const longPrompt =
    long === undefined ? undefined : { above: long[0], ...pricesOf([long[1], long[2], long[3], long[4]]) };
  const hasLimit = [contextWindow, inputLimit, outputLimit].some((limit) => limit !== null);
  return {
    ...(hasLimit ? { limits: { contextWindow, inputLimit, outputLimit, source } } : {}),
    ...(prices === null ? {} : { prices: pricesWith(pricesOf(prices), longPrompt, source) }),
    ...(/[a-w]/i.test(letters) ? { capabilities: capabilitiesOf(letters, source) } : {}),
  };
}

function pricesOf([inputPrice, outputPrice, cachedPrice, cacheWritePrice]: Prices): TokenPrices {
  return {
    inputPrice,
    outputPrice,
    ...(cachedPrice === null ? {} : { cachedPrice }),
    ...(cacheWritePrice === null ? {} : { cacheWritePrice }),
  };
}

function pricesWith(
  prices: TokenPrices,
  longPrompt: CataloguePrices["longPrompt"],
  source: CatalogueSource,
): CataloguePrices {
  return { ...prices, ...(longPrompt === undefined ? {} : { longPrompt }), source };
}

const capabilities = { V: "vision", T: "functionCalling", S: "structuredOutputs", R: "reasoning" } as const;

function capabilitiesOf(letters: string, source: CatalogueSource): CatalogueCapabilities {
  const known = Object.entries(capabilities).flatMap(([letter, name]) => {
    if (letters.includes(letter)) return [[name, true]];
    return letters.includes(letter.toLowerCase()) ? [[name, false]] : [];
  });
  return { ...(Object.fromEntries(known) as Omit<CatalogueCapabilities, "source">), source };
}
