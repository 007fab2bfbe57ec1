// The facts of a model: those that its definition states, else those of the catalogue at its address. Prices count at the provider's own address
// alone, and not if the provider reports the cost itself.

import type { AnyModelDefinition, CatalogueEntry, ModelCatalogue, Registry, TokenPrices } from "#spec/index.ts";
import type { ModelFacts } from "#spec/model-status.ts";

import { cataloguePlace } from "./provider-settings.ts";

const priceFields = ["inputPrice", "outputPrice", "cachedPrice", "cacheWritePrice", "longPrompt"] as const;
const limitFields = ["contextWindow", "inputLimit", "outputLimit"] as const;

/** Returns the facts of a model at the address that its definition and the variables give it. */
export function modelFacts(
  model: AnyModelDefinition,
  env: Record<string, unknown>,
  catalogue: ModelCatalogue = {},
): ModelFacts {
  const { limits, prices: listed, capabilities = null } = entryOf(model, env, catalogue);
  const prices = pricesWith(model, listed);
  const limit = (field: (typeof limitFields)[number]): number | null => model[field] ?? limits?.[field] ?? null;
  const usesLimit = limitFields.some((field) => model[field] === undefined && (limits?.[field] ?? null) !== null);
  const usesPrice = priceFields.some((field) => model[field] === undefined && prices?.[field] !== undefined);
  return {
    limits: {
      contextWindow: limit("contextWindow"),
      inputLimit: limit("inputLimit"),
      outputLimit: limit("outputLimit"),
    },
    limitsSource: usesLimit ? (limits?.source ?? null) : null,
    prices: mergedPrices(model, prices),
    pricesSource: usesPrice ? (prices?.source ?? null) : null,
    capabilities,
  };
}

/** The prices of an entry for a definition: with a stated `inputPrice`, absent prices of the cache are that price. */
function pricesWith({ inputPrice }: AnyModelDefinition, entry: CatalogueEntry["prices"]): CatalogueEntry["prices"] {
  if (inputPrice === undefined || entry === undefined) return entry;
  const { longPrompt, ...short } = withoutCache(entry);
  return longPrompt === undefined ? short : { ...short, longPrompt: withoutCache(longPrompt) };
}

function withoutCache<P extends TokenPrices>(prices: P): Omit<P, "cachedPrice" | "cacheWritePrice"> {
  const { cachedPrice: _cached, cacheWritePrice: _written, ...others } = prices;
  return others;
}

/** The entry of a model, without prices that do not hold. */
function entryOf(model: AnyModelDefinition, env: Record<string, unknown>, catalogue: ModelCatalogue): CatalogueEntry {
  const place = cataloguePlace(model, env);
  const table = place !== null && Object.hasOwn(catalogue, place.table) ? (catalogue[place.table] ?? {}) : {};
  const entry = Object.hasOwn(table, model.model) ? (table[model.model] ?? {}) : {};
  if (place?.hasPrices === true) return entry;
  const { prices: _, ...others } = entry;
  return others;
}

function mergedPrices(model: AnyModelDefinition, known: CatalogueEntry["prices"]): ModelFacts["prices"] {
  const fields = priceFields.flatMap((field) => {
    const price = model[field] ?? known?.[field];
    return price === undefined ? [] : [[field, price] as const];
  });
  const merged = Object.fromEntries(fields) as ModelFacts["prices"];
  if (model.longPrompt !== undefined || merged.longPrompt === undefined) return merged;
  // A price of the definition holds for long prompts too.
  const stated = priceFields.flatMap((field) => (model[field] === undefined ? [] : [[field, model[field]] as const]));
  return { ...merged, longPrompt: { ...merged.longPrompt, ...(Object.fromEntries(stated) as TokenPrices) } };
}

interface Completed {
  catalogue: ModelCatalogue;
  place: string;
  model: AnyModelDefinition;
}

/** The last result for each definition. Requests compare definitions by identity. */
const completed = new WeakMap<AnyModelDefinition, Completed>();

/** Returns the definition with the limits and prices that it leaves out and the catalogue knows; the definition itself if there are none. */
export function completeModel(
  model: AnyModelDefinition,
  env: Record<string, unknown>,
  catalogue: ModelCatalogue,
): AnyModelDefinition {
  const place = JSON.stringify(cataloguePlace(model, env));
  const last = completed.get(model);
  if (last?.catalogue === catalogue && last.place === place) return last.model;
  const { limits, limitsSource, prices, pricesSource } = modelFacts(model, env, catalogue);
  const known = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
  const isComplete = limitsSource === null && pricesSource === null;
  const whole: AnyModelDefinition = isComplete ? model : { ...model, ...known, ...prices };
  completed.set(model, { catalogue, place, model: whole });
  return whole;
}

/** The models of a registry, completed by its catalogue. */
export function completeModels(
  { models, catalogue }: Pick<Registry, "models" | "catalogue">,
  env: Record<string, unknown>,
): Registry["models"] {
  if (catalogue === undefined) return models;
  return Object.fromEntries(
    Object.entries(models).map(([name, load]) => [name, async () => completeModel(await load(), env, catalogue)]),
  );
}
