// A place in the values of a schema, with all schemas that are about the value there: those of alternatives, of conditions, and of each keyword
// that reaches the place. A schema of a pattern counts for every key, and one of a list's position for every item, so a place may have too many
// schemas and never too few. Contract: the places of a schema are made once each, so the work is proportional to the schema and the values.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { listOf } from "#core/schema/merge-schemas.ts";
import { isCut } from "#core/schema/resolve-schema.ts";
import { schemaPlaces } from "#core/schema/schema-keyword.ts";

/** The keywords whose schemas are about the value that their node is about. */
const sameValue: ReadonlySet<string> = new Set("anyOf oneOf allOf not if then else dependentSchemas".split(" "));
const aboutItems = "items prefixItems contains additionalItems unevaluatedItems".split(" ");
const aboutAnyKey = "patternProperties additionalProperties unevaluatedProperties".split(" ");
const withNames = "properties dependentRequired dependentSchemas".split(" ");

function schemasIn(node: JsonObject, keyword: string): JsonObject[] {
  const value: Json = node[keyword] ?? null;
  const place = schemaPlaces.get(keyword);
  const all =
    place === "named" && isJsonObject(value) ? Object.values(value) : place === "list" ? listOf(value) : [value];
  return all.filter(isJsonObject);
}

function aboutOneValue(node: JsonObject): JsonObject[] {
  const others = Object.keys(node).filter((keyword) => sameValue.has(keyword));
  return [node, ...others.flatMap((keyword) => schemasIn(node, keyword)).flatMap(aboutOneValue)];
}

export class ValuePlace {
  readonly #nodes: readonly JsonObject[];
  readonly #isCut: boolean;
  readonly #keys = new Map<string, ValuePlace>();
  #names: ReadonlySet<string> | undefined;
  #anyKey: ValuePlace | undefined;
  #item: ValuePlace | undefined;

  constructor(schemas: readonly JsonObject[]) {
    this.#nodes = schemas.flatMap(aboutOneValue);
    this.#isCut = this.#nodes.some(isCut);
  }

  /** Whether no schema is about the value. */
  get isOpen(): boolean {
    return this.#nodes.length === 0;
  }

  /** Whether a schema names this key of the value; true for every key if the schema was cut. */
  hasName(name: string): boolean {
    this.#names ??= new Set(this.#nodes.flatMap(namesOf));
    return this.#isCut || this.#names.has(name);
  }

  /** The value of a key. */
  key(name: string): ValuePlace {
    const isNamed = this.#nodes.some(({ properties }) => isJsonObject(properties) && Object.hasOwn(properties, name));
    if (!isNamed) return this.anyKey;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const own = this.#nodes.flatMap(({ properties }) => (isJsonObject(properties) ? [properties[name] ?? null] : []));
    const made = new ValuePlace([...own.filter(isJsonObject), ...this.#reached(aboutAnyKey)]);
    this.#keys.set(name, made);
    return made;
  }

  /** The value of a key that no schema names. */
  get anyKey(): ValuePlace {
    return (this.#anyKey ??= new ValuePlace(this.#reached(aboutAnyKey)));
  }

  /** An item of the value. */
  get item(): ValuePlace {
    return (this.#item ??= new ValuePlace(this.#reached(aboutItems)));
  }

  /** The place that the schemas of a keyword of these schemas are about. */
  inside(keyword: string): ValuePlace {
    if (sameValue.has(keyword)) return this;
    if (aboutItems.includes(keyword)) return this.item;
    return aboutAnyKey.includes(keyword) ? this.anyKey : new ValuePlace([]);
  }

  /** What a schema states about parts that were left out is unknown, so its names count in all of them. */
  #reached(keywords: readonly string[]): JsonObject[] {
    return this.#nodes.flatMap((node) =>
      isCut(node) ? [node] : keywords.flatMap((keyword) => schemasIn(node, keyword)),
    );
  }
}

function namesOf(node: JsonObject): string[] {
  const named = withNames.flatMap((keyword) => (isJsonObject(node[keyword]) ? Object.entries(node[keyword]) : []));
  const lists = [node["required"] ?? [], ...named.map(([, value]) => value)];
  return [...named.map(([name]) => name), ...lists.flatMap(listOf).filter((name) => typeof name === "string")];
}
