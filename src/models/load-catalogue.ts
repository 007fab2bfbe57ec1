// Looks models up in all tables of the catalogue. The compiler, the command line and programs without a build import it; a Worker has the
// entries of its models in its registry.

import type { AnyModelDefinition, CatalogueEntry, ModelCatalogue } from "#spec/index.ts";

import { cataloguePlace } from "./provider-settings.ts";
import { currentIds, findEntry, type FactTable } from "./provider/facts/fact-table.ts";
import { factTables } from "./provider/facts/tables.ts";

export { modelFacts } from "./model-facts.ts";
export { cataloguePlace } from "./provider-settings.ts";

/** The table of this name; empty if there is none. */
async function tableNamed(name: string): Promise<FactTable> {
  const load = Object.hasOwn(factTables, name) ? factTables[name] : undefined;
  return (await load?.())?.facts ?? [];
}

/** The entries of models, for the addresses that their definitions and the variables give them. */
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
