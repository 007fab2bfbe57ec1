// Searches all tables of the catalogue. A Worker imports it with the first search, because its requests to models need only the entries of the
// registry. Contract: a page is bounded, and nothing is sent.

import {
  modelPresets,
  type AnyModelDefinition,
  type AnyModelProvider,
  type CatalogueEntry,
  type PresetName,
} from "#spec/index.ts";
import type { CatalogueModel, CatalogueQuery } from "#spec/model-status.ts";

import { newModelText, nameOfModel } from "./new-model-text.ts";
import { currentIds, findEntry } from "./provider/facts/fact-table.ts";
import { factTables } from "./provider/facts/tables.ts";
import { providerNamed } from "./provider/providers.ts";

/** The provider of a table, as a definition names it; null for a provider that this program does not contain. */
function namedBy(table: string): Pick<AnyModelDefinition, "provider" | "preset"> | null {
  if (Object.hasOwn(modelPresets, table)) return { provider: "openai-compatible", preset: table as PresetName };
  return providerNamed(table) === undefined ? null : { provider: table as AnyModelProvider };
}

/**
 * A page of the models whose provider, id or capabilities contain all words of a query, by provider and id. Models that their provider retires
 * are not among them.
 */
export async function searchCatalogue({
  query,
  offset,
  limit,
}: CatalogueQuery): Promise<{ models: CatalogueModel[]; next: number | null }> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found: CatalogueModel[] = [];
  for (const [table, load] of Object.entries(factTables).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const named = namedBy(table);
    if (named === null) continue;
    const { facts } = await load();
    for (const model of currentIds(facts)) {
      const entry = findEntry(facts, model) ?? {};
      const text = `${table} ${model} ${abilitiesOf(entry)}`.toLowerCase();
      if (words.every((word) => text.includes(word))) found.push(catalogueModel(named, model, entry));
    }
  }
  const end = offset + limit;
  return { models: found.slice(offset, end), next: end < found.length ? end : null };
}

/** The words by which the capabilities of a model are found. */
function abilitiesOf({ capabilities }: CatalogueEntry): string {
  const { vision, functionCalling, structuredOutputs, reasoning } = capabilities ?? {};
  const words = { vision, tools: functionCalling, structured: structuredOutputs, reasoning };
  return Object.entries(words)
    .flatMap(([word, can]) => (can === true ? [word] : []))
    .join(" ");
}

function catalogueModel(
  { provider, preset }: Pick<AnyModelDefinition, "provider" | "preset">,
  id: string,
  { limits, prices, capabilities }: CatalogueEntry,
): CatalogueModel {
  const { source: pricesSource = null, ...stated } = prices ?? {};
  const name = nameOfModel(id);
  const definition = { name, provider, ...(preset === undefined ? {} : { preset }), model: id };
  return {
    provider,
    preset: preset ?? null,
    model: id,
    facts: {
      limits: {
        contextWindow: limits?.contextWindow ?? null,
        inputLimit: limits?.inputLimit ?? null,
        outputLimit: limits?.outputLimit ?? null,
      },
      limitsSource: limits?.source ?? null,
      prices: stated,
      pricesSource,
      capabilities: capabilities ?? null,
    },
    file: `agents/models/${name}.ts`,
    definition: newModelText(definition, { limits: limits !== undefined, prices: prices !== undefined }),
  };
}
