// Looks models up in all tables of the catalogue. The compiler, the command line and programs without a build import it; a Worker has the
// entries of its models in its registry.

import { closestWord, editDistance } from "#lib/edit-distance.ts";
import type { AnyModelDefinition, AnyModelProvider, CatalogueEntry, ModelCatalogue } from "#spec/index.ts";

import { cataloguePlace } from "./provider-settings.ts";
import { currentIds, findEntry, type FactTable } from "./provider/facts/fact-table.ts";
import { factTables } from "./provider/facts/tables.ts";
import { providers } from "./provider/providers.ts";

export { modelFacts } from "./model-facts.ts";
export { cataloguePlace } from "./provider-settings.ts";

/** The providers that are called over the network at an address of their own. */
export function ownProviders(): AnyModelProvider[] {
  return providers.flatMap((provider) =>
    "variables" in provider && provider.presets === undefined ? [provider.name] : [],
  );
}

/** The table of this name; empty if there is none. */
async function tableNamed(name: string): Promise<FactTable> {
  const load = Object.hasOwn(factTables, name) ? factTables[name] : undefined;
  return (await load?.())?.facts ?? [];
}

/** The catalogue entries of these models. Prices are left out if `cataloguePlace` says that the address of a model has none. */
export async function catalogueOf(
  models: readonly AnyModelDefinition[],
  env: Record<string, unknown> = {},
): Promise<ModelCatalogue> {
  const catalogue: Record<string, Record<string, CatalogueEntry>> = {};
  for (const model of models) {
    const place = cataloguePlace(model, env);
    const entry = place === null ? null : findEntry(await tableNamed(place.table), model.model);
    if (place === null || entry === null) continue;
    const { prices: _, ...withoutPrices } = entry;
    const table = (catalogue[place.table] ??= {});
    table[model.model] = place.hasPrices ? entry : withoutPrices;
  }
  return catalogue;
}

/** The ids of the models of a table, without those that the provider retires; empty if there is no such table. */
export async function catalogueIds(table: string): Promise<string[]> {
  return currentIds(await tableNamed(table));
}

/** The most changed characters of an id that is taken for a typing error. */
const mostChanges = 2;

/**
 * The known id that a model's id is a typing error of, at the address of its definition. Null: the id is known, or differs more, or only in
 * digits, as the ids of versions do.
 */
export async function mistypedId(model: AnyModelDefinition): Promise<string | null> {
  const place = cataloguePlace(model, {});
  const table = place === null ? [] : await tableNamed(place.table);
  if (findEntry(table, model.model) !== null) return null;
  const closest = closestWord(model.model, currentIds(table));
  const plain = (id: string): string => id.replaceAll(/\d/g, "");
  if (closest === undefined || plain(closest) === plain(model.model)) return null;
  return editDistance(model.model, closest) > mostChanges ? null : closest;
}
