// Finds operations by words, for an API with so many operations that their list would fill a prompt.

import type { ApiCatalog } from "./api-catalog.ts";
import type { Operation } from "./operation.ts";

/** The number of operations in a result, and of those with their schemas. */
const mostFound = 20;
const mostSchemas = 3;

/** The maximum number of UTF-16 units of the schemas in a result. */
const mostUnits = 16 * 1024;

/** How much a word counts in each text of an operation. */
const weights = { id: 6, summary: 4, tags: 3, path: 3, description: 1 };

/** The operations that match the query best, as the text that a model reads. */
export function searchText(catalog: ApiCatalog, query: string): string {
  const found = ranked(catalog.operations, query).slice(0, mostFound);
  if (found.length === 0) {
    const tags = [...new Set(catalog.operations.flatMap((operation) => operation.tags))].slice(0, 50);
    const hint = tags.length === 0 ? "Try other words." : `Try other words, such as: ${tags.join(", ")}.`;
    return `None of ${catalog.operations.length} operations matches. ${hint}`;
  }
  let units = 0;
  const lines = found.map((operation, index) => {
    const { id, method, path, summary } = operation;
    const line = `${id}: ${method} ${path}${summary === `${method} ${path}` ? "" : ` | ${summary}`}`;
    if (index >= mostSchemas) return line;
    const schema = JSON.stringify(catalog.plan(operation).schema);
    if (units + schema.length > mostUnits) return line;
    units += schema.length;
    return `${line}\n  arguments: ${schema}`;
  });
  return `${lines.join("\n")}\n\nSearch for an id to read the arguments of its operation.`;
}

function ranked(operations: readonly Operation[], query: string): Operation[] {
  const asked = query.trim().toLowerCase();
  const exact = operations.filter(({ id, name }) => [id, name].some((each) => each.toLowerCase() === asked));
  if (exact.length > 0) return exact;
  const words = [...new Set(wordsOf(query))].slice(0, 20);
  return operations
    .map((operation, index) => ({ operation, index, score: scoreOf(operation, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.index - other.index)
    .map(({ operation }) => operation);
}

function scoreOf({ id, summary, description, tags, path }: Operation, words: readonly string[]): number {
  const texts = { id, summary, tags: tags.join(" "), path, description };
  const known = (Object.keys(weights) as (keyof typeof weights)[]).map((key) => ({
    weight: weights[key],
    words: wordsOf(texts[key]),
  }));
  return words.reduce((sum, word) => {
    const scores = known.map(({ weight, words: own }) => {
      if (own.includes(word)) return weight;
      return own.some((each) => isVariant(each, word)) ? weight / 2 : 0;
    });
    return sum + Math.max(...scores);
  }, 0);
}

/** Whether two words have the same beginning, such as a singular and its plural. */
function isVariant(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  return shorter >= 3 && one.slice(0, shorter) === other.slice(0, shorter);
}

/** The words of a text in lower case. `listPetsById` has four. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}
