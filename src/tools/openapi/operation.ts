// The operations of a document: their names and texts, without their schemas, which are read when an operation is offered to a model.

import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { AnyOpenApiDefinition } from "#spec/index.ts";

import { outsideText, toolName } from "../outside-text.ts";
import { entriesOf, listOf, objectAt, textOf } from "./api-document.ts";

/** An operation that a definition offers. */
export interface Operation {
  /** The name with which a model calls it. */
  name: string;
  /** Its id in the document. For an operation without one, its method and its path. */
  id: string;
  /** The HTTP method, in capital letters. */
  method: string;
  /** The path in the document. It contains no control characters. */
  path: string;
  /** The path as a model reads it. */
  shownPath: string;
  /** The first line of its description. */
  summary: string;
  description: string;
  /** The tags as a model reads them. */
  tags: readonly string[];
  /** The operation and the object of its path in the document. */
  source: JsonObject;
  pathItem: JsonObject;
}

/** The maximum number of operations of a document. */
const mostOperations = 5000;

const descriptionLimit = 2000;
const summaryLimit = 200;
const idLimit = 200;
const pathLimit = 300;
const tagLimit = 60;

/** The maximum number of tags of an operation that are shown and searched. */
const mostTags = 20;

const methods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;

/** The operations that a definition offers. `omitted` are those that cannot be offered. */
export async function operationsOf(
  document: JsonObject,
  definition: AnyOpenApiDefinition,
): Promise<{ operations: Operation[]; omitted: string[] }> {
  const { name: own, prefix = own, unnamedOperations = false } = definition;
  const operations = new Map<string, Operation>();
  const omitted: string[] = [];
  for (const { path, pathItem, method, source } of sourcesOf(document)) {
    const given = textOf(source["operationId"]);
    const id = lineText(given ?? `${method} ${path}`, idLimit);
    const tags = listOf(source["tags"]).filter((tag) => typeof tag === "string");
    // REQ-155: an operation without an id is reported also if the filters of the definition do not match it.
    const isUnnamed = given === undefined && !unnamedOperations;
    if (!isUnnamed && !isWanted({ id, method, path, tags }, definition)) continue;
    const plain = given ?? `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, "_")}`;
    const name = await toolName(prefix, plain);
    const isFull = operations.has(name) || operations.size >= mostOperations;
    // A parser of addresses removes some control characters, so the request would have another path.
    if (isUnnamed || isFull || /\p{Cc}/u.test(path)) {
      omitted.push(id);
      continue;
    }
    const shownPath = lineText(path, pathLimit);
    const shown = { shownPath, tags: tags.slice(0, mostTags).map((tag) => lineText(tag, tagLimit)) };
    operations.set(name, { name, id, method, path, ...textsOf(source, method, shownPath), ...shown, source, pathItem });
  }
  return { operations: [...operations.values()], omitted };
}

/** A text from outside in one line. */
function lineText(text: string, limit: number): string {
  return outsideText(text, limit).replaceAll(/\s+/g, " ");
}

interface Source {
  path: string;
  pathItem: JsonObject;
  method: string;
  source: JsonObject;
}

function* sourcesOf(document: JsonObject): Generator<Source> {
  for (const [path, item] of entriesOf(document["paths"])) {
    const pathItem = objectAt(document, item);
    if (pathItem === null) continue;
    for (const method of methods) {
      const source = pathItem[method];
      if (isJsonObject(source)) yield { path, pathItem, method: method.toUpperCase(), source };
    }
  }
}

function isWanted(
  { id, method, path, tags }: Pick<Operation, "id" | "method" | "path" | "tags">,
  definition: AnyOpenApiDefinition,
): boolean {
  return (
    (definition.operations?.includes(id) ?? true) &&
    (definition.tags?.some((tag) => tags.includes(tag)) ?? true) &&
    (definition.methods?.some((each) => each === method) ?? true) &&
    path.startsWith(definition.pathPrefix ?? "")
  );
}

function textsOf(source: JsonObject, method: string, path: string): Pick<Operation, "summary" | "description"> {
  const [summary, details] = [textOf(source["summary"]), textOf(source["description"])];
  const texts = [...new Set([summary, details])].filter((text) => text !== undefined && isVisible(text));
  const isDeprecated = source["deprecated"] === true ? "Deprecated. " : "";
  const description = `${isDeprecated}${texts.join("\n\n") || `${method} ${path}`}`;
  const [first = ""] = description.split("\n");
  return { summary: outsideText(first, summaryLimit), description: outsideText(description, descriptionLimit) };
}
