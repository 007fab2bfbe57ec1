// The file that defines a model of the catalogue, as `threadhold new model` writes it and the playground shows it.

import type { AnyModelDefinition } from "#spec/index.ts";

import { providerNamed } from "./provider/providers.ts";
import { bindingOf, joined, missingNames } from "./readiness.ts";

/** Which facts of a model the catalogue has. */
export interface KnownFacts {
  limits: boolean;
  prices: boolean;
}

/** The text of the file. */
export function newModelText(model: AnyModelDefinition, known: KnownFacts): string {
  const names = bindingOf(model) === null ? missingNames(model, {}) : [];
  const needed = names.length === 0 ? "" : ` It needs ${joined(names)}.`;
  const fields = Object.entries(model).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},\n`);
  return `// ${remarkOn(model, known)}${needed}
import { defineModel } from "threadhold";

export default defineModel({
${fields.join("")}});
`;
}

function remarkOn({ provider }: AnyModelDefinition, { limits, prices }: KnownFacts): string {
  const known = providerNamed(provider);
  const reportsCost = known !== undefined && "variables" in known && known.reportedCost !== undefined;
  if (!limits && !prices)
    return "The catalogue does not have this model: add inputPrice, outputPrice and contextWindow.";
  if (prices) return "Limits and prices are those of the catalogue. A field here replaces the catalogue's.";
  return reportsCost
    ? "Limits are those of the catalogue, and the provider reports the cost. A field here replaces the catalogue's."
    : "Limits are those of the catalogue, which has no prices for this model: add inputPrice and outputPrice.";
}

/** The longest name that a definition may have. */
const longestName = 64;

/** A name for the definition of a model: the last part of its id, in the characters that names have. */
export function nameOfModel(id: string): string {
  const last = id.split("/").at(-1) ?? "";
  const plain = last.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^[^A-Za-z_]+|(?<!-)-+$/g, "");
  return plain === "" ? "model" : plain.slice(0, longestName);
}
