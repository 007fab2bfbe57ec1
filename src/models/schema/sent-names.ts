// Names of keys that a provider refuses in a schema, and the names that are sent in their place. The schema of a tool, the arguments of its
// earlier calls, and the arguments that the model writes are converted by one table, so that a tool receives its own names. A key of a value is
// converted if a schema about its object names it, and at any depth of a part whose schema was cut, because a model knows only the sent names
// there. Contract: what `restored` returns for the result of `sent` is the given value, for every value that fits the schema and has no key
// that equals a sent name.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { addSentence } from "#core/schema/keyword-sentence.ts";
import { listOf } from "#core/schema/merge-schemas.ts";
import { schemaPlaces } from "#core/schema/schema-keyword.ts";

import { ValuePlace } from "./value-place.ts";

/** Whether a provider accepts a name. `isRoot`: it is the name of an argument; otherwise a name inside of an argument. */
export type AcceptsName = (name: string, isRoot: boolean) => boolean;

/** A schema with the names that are sent, and the conversions of the arguments of calls. */
export interface RenamedSchema {
  schema: JsonObject;
  sent: (given: Json) => Json;
  restored: (given: Json) => Json;
}

/** The sent names by the names of the tool, and the names of the tool by the sent names. */
interface Table {
  sent: ReadonlyMap<string, string>;
  restored: ReadonlyMap<string, string>;
}

/** The names that a conversion writes. */
interface Direction {
  table: Table;
  to: keyof Table;
}

const longestName = 64;

/** The schema with names that the provider accepts; null if it accepts all. The description of a renamed key contains its own name. */
export function withSentNames(schema: JsonObject, accepts: AcceptsName): RenamedSchema | null {
  const own = new Set<string>();
  const refused = new Set<string>();
  const root = new ValuePlace([schema]);
  collectNames(schema, (name, isInner) => {
    own.add(name);
    if (!accepts(name, !isInner)) refused.add(name);
  });
  if (refused.size === 0) return null;
  const sent = namesFor(refused, own);
  const table = { sent, restored: new Map([...sent].map(([name, other]) => [other, name])) };
  return {
    schema: renamed(schema, root, table),
    sent: (given) => converted(given, root, { table, to: "sent" }),
    restored: (given) => converted(given, root, { table, to: "restored" }),
  };
}

/** Calls `found` for each name of a property in the schema. Of the root's alternatives, the names are those of arguments too. */
function collectNames(schema: Json, found: (name: string, isInner: boolean) => void, isInner = false): void {
  if (!isJsonObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const place = schemaPlaces.get(keyword);
    const isNamed = place === "named" && isJsonObject(value);
    if (keyword === "properties" && isNamed) for (const name of Object.keys(value)) found(name, isInner);
    if (place === undefined) continue;
    const inner = isNamed ? Object.values(value) : place === "list" ? listOf(value) : [value];
    for (const each of inner) collectNames(each, found, isInner || keyword !== "anyOf");
  }
}

/** A name for each refused one: at most 64 letters, digits and underscores, and no name that the schema has. */
function namesFor(refused: ReadonlySet<string>, own: ReadonlySet<string>): Map<string, string> {
  const taken = new Set(own);
  const names = new Map<string, string>();
  for (const name of refused) {
    const letters = name.replaceAll(/\W/g, "_");
    const base = /^[a-z_]/i.test(letters) ? letters : `_${letters}`;
    let free = base.slice(0, longestName);
    for (let number = 2; taken.has(free); number += 1) {
      const end = `_${number}`;
      free = `${base.slice(0, longestName - end.length)}${end}`;
    }
    taken.add(free);
    names.set(name, free);
  }
  return names;
}

function renamed(node: JsonObject, place: ValuePlace, table: Table): JsonObject {
  const inner = (schema: Json, at: ValuePlace): Json => (isJsonObject(schema) ? renamed(schema, at, table) : schema);
  const nameOf = (name: string): string => (place.hasName(name) ? (table.sent.get(name) ?? name) : name);
  const names = (list: Json): Json => listOf(list).map((name) => (typeof name === "string" ? nameOf(name) : name));
  const values = (list: Json): Json => listOf(list).map((each) => converted(each, place, { table, to: "sent" }));
  const entries = Object.entries(node).map(([keyword, value]): [string, Json] => {
    const named = (change: (each: Json, name: string) => Json): Json =>
      isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [nameOf(name), change(each, name)]))
        : value;
    switch (keyword) {
      case "const":
      case "default":
        return [keyword, converted(value, place, { table, to: "sent" })];
      case "enum":
      case "examples":
        return [keyword, values(value)];
      case "required":
        return [keyword, names(value)];
      case "dependentRequired":
        return [keyword, named(names)];
      case "dependentSchemas":
        return [keyword, named((each) => inner(each, place))];
      case "properties":
        return [keyword, named((each, name) => withOwnName(inner(each, place.key(name)), name, nameOf(name)))];
      case "patternProperties":
        if (!isJsonObject(value)) return [keyword, value];
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each, place.anyKey)])),
        ];
    }
    const isList = schemaPlaces.get(keyword) === "list";
    if (schemaPlaces.get(keyword) === undefined) return [keyword, value];
    const at = place.inside(keyword);
    return [keyword, isList ? listOf(value).map((each) => inner(each, at)) : inner(value, at)];
  });
  return Object.fromEntries(entries);
}

function withOwnName(schema: Json, name: string, sent: string): Json {
  if (!isJsonObject(schema) || sent === name) return schema;
  return addSentence(schema, `Descriptions and errors call this key ${JSON.stringify(name)}.`);
}

function converted(value: Json, place: ValuePlace, direction: Direction): Json {
  if (place.isOpen) return value;
  if (Array.isArray(value)) return value.map((item) => converted(item, place.item, direction));
  if (!isJsonObject(value)) return value;
  const { table, to } = direction;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const own = to === "sent" ? key : (table.restored.get(key) ?? key);
      if (!place.hasName(own)) return [key, converted(inner, place.key(key), direction)];
      const name = to === "sent" ? (table.sent.get(key) ?? key) : own;
      return [name, converted(inner, place.key(own), direction)];
    }),
  );
}
