// Finds operations by words, for an API with so many operations that their list would fill a prompt.

import type { ApiCatalog } from "./api-catalog.ts";
import type { Operation } from "./operation.ts";

/** The number of operations in a result, and of those with their schemas. */
const mostFound = 20;
const mostSchemas = 3;

/** The maximum number of UTF-16 units of the schemas in a result. */
const mostUnits = 16 * 1024;

/** The maximum number of words of a query, and of UTF-16 units of a description that are searched. */
const mostWords = 20;
const searchedUnits = 600;

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
    const { id, method, shownPath, summary } = operation;
    const line = `${id}: ${method} ${shownPath}${summary === `${method} ${shownPath}` ? "" : ` | ${summary}`}`;
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
  const words = [...new Set(wordsOf(query))].slice(0, mostWords);
  return operations
    .map((operation, index) => ({ operation, index, score: scoreOf(indexOf(operation), words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.index - other.index)
    .map(({ operation }) => operation);
}

/** The different words of an operation, each with its largest weight. */
type WordWeights = ReadonlyMap<string, number>;

/** The words of operations that were searched. They are read once, because a model may search in each step. */
const indexes = new WeakMap<Operation, WordWeights>();

function indexOf(operation: Operation): WordWeights {
  const known = indexes.get(operation);
  if (known !== undefined) return known;
  const { id, summary, description, tags, shownPath } = operation;
  const texts = {
    id,
    summary,
    tags: tags.join(" "),
    path: shownPath,
    description: description.slice(0, searchedUnits),
  };
  const index = new Map<string, number>();
  for (const key of Object.keys(weights) as (keyof typeof weights)[]) {
    for (const word of wordsOf(texts[key])) index.set(word, Math.max(index.get(word) ?? 0, weights[key]));
  }
  indexes.set(operation, index);
  return index;
}

/** Adds the weights of the words of a query. A word with the same beginning, such as the plural, counts a half. */
function scoreOf(index: WordWeights, words: readonly string[]): number {
  return words.reduce((sum, word) => {
    let best = index.get(word) ?? 0;
    for (const [each, weight] of index) if (weight / 2 > best && isVariant(each, word)) best = weight / 2;
    return sum + best;
  }, 0);
}

/** Whether one of two words is the beginning of the other, such as a singular of its plural. */
function isVariant(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.length >= 3 && longer.startsWith(shorter);
}

/** The words of a text in lower case. `listPetsById` has four. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}
