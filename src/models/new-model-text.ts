// The file that defines a model of the catalogue, as `threadhold new model` writes it and the playground shows it.

import type { AnyModelDefinition } from "#spec/index.ts";

import { bindingOf, joined, missingNames } from "./readiness.ts";

/** The text of the file. `isKnown`: the catalogue has facts of the model. */
export function newModelText(model: AnyModelDefinition, isKnown: boolean): string {
  const keys = bindingOf(model) === null ? missingNames(model, {}) : [];
  const read = keys.length === 0 ? "" : ` The key is read from ${joined(keys)}.`;
  const fields = Object.entries(model).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},\n`);
  const remark = isKnown
    ? "// Limits and prices are those of the catalogue. A field here replaces the catalogue's."
    : "// The catalogue does not have this model: add inputPrice, outputPrice and contextWindow.";
  return `${remark}${read}
import { defineModel } from "threadhold";

export default defineModel({
${fields.join("")}});
`;
}

/** The longest name that a definition may have. */
const longestName = 64;

/** A name for the definition of a model: the last part of its id, in the characters that names have. */
export function nameOfModel(id: string): string {
  const last = id.split("/").at(-1) ?? "";
  const plain = last.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^[^A-Za-z_]+|(?<!-)-+$/g, "");
  return plain === "" ? "model" : plain.slice(0, longestName);
}
