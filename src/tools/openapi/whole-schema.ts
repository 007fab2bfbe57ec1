// The schema of an operation's arguments as the document states it, by which calls are checked: a model receives a reduced one
// (argument-schema.ts). Schemas are copied with their references, so that one that contains itself is checked at every depth. Contract: the number
// of copied values is bounded; what the check does not need is left out; of `oneOf`, several alternatives may match.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { schemaPlaces } from "#core/schema/schema-keyword.ts";

import { entriesOf, follow, listOf, objectAt, textOf } from "./api-document.ts";

/** The maximum number of values in the schemas of an operation. */
const mostValues = 50_000;

/** Keywords that the check does not read, and names of schemas, which references to the copies replace. */
const omitted = new Set(
  (
    "$ref $id id $anchor $dynamicAnchor $recursiveAnchor $schema $defs definitions $comment title description example examples " +
    "externalDocs xml discriminator deprecated default __proto__"
  ).split(" "),
);

class TooLarge extends Error {}

/** Copies schemas of one document. */
class SchemaCopies {
  readonly #document: JsonObject;
  /** Before version 3.1 keywords next to a reference have no effect. */
  readonly #ignoresSiblings: boolean;
  /** The names of the copied targets, by `#inverts` and reference, and those that are not copied yet. */
  readonly #names = new Map<string, string>();
  readonly #waiting: { name: string; schema: JsonObject; inverts: boolean }[] = [];
  /** Whether the copied schema is in a `not` or an `if`, where an alternative that matches may make a value wrong. */
  #inverts = false;
  #values = 0;

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ignoresSiblings = textOf(document["openapi"])?.startsWith("3.0") === true;
  }

  /** The targets of all references of the copies. */
  definitions(): JsonObject {
    const copies: [string, Json][] = [];
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#inverts = next.inverts;
      copies.push([next.name, this.copy(next.schema)]);
    }
    return Object.fromEntries(copies);
  }

  copy(given: Json | undefined): Json {
    this.#count(1);
    if (typeof given === "boolean") return given;
    if (!isJsonObject(given)) return {};
    const own = Object.entries(given).filter(([keyword]) => !omitted.has(keyword));
    const reference = given["$ref"];
    if (typeof reference !== "string") return this.#copyOf(own, given);
    const target = this.#reference(reference);
    if (target === null) return {};
    if (given["nullable"] === true) return { anyOf: [target, { type: "null" }] };
    return this.#ignoresSiblings || own.length === 0 ? target : { allOf: [target, this.#copyOf(own, given)] };
  }

  #copyOf(own: readonly [string, Json][], given: JsonObject): JsonObject {
    const copied = Object.fromEntries(
      own.map(([keyword, value]): [string, Json] => [keyword, this.#keyword(keyword, value, given)]),
    );
    const { oneOf, ...others } = copied;
    if (oneOf === undefined || this.#inverts) return copied;
    // Without formats and the discriminator, which the check does not read, several alternatives may match.
    if (others["anyOf"] === undefined) return { ...others, anyOf: oneOf };
    return { ...others, allOf: [...listOf(others["allOf"]), { anyOf: oneOf }] };
  }

  /** The reference to the copy of a target; null if there is no target in the document. */
  #reference(reference: string): JsonObject | null {
    const key = `${this.#inverts} ${reference}`;
    const known = this.#names.get(key);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const found = follow(this.#document, { $ref: reference });
    if (found === null) return null;
    const name = `s${this.#names.size}`;
    this.#names.set(key, name);
    this.#waiting.push({ name, schema: found.value, inverts: this.#inverts });
    return { $ref: `#/$defs/${name}` };
  }

  #keyword(keyword: string, value: Json, given: JsonObject): Json {
    const place = schemaPlaces.get(keyword);
    if (place === "list" || (place === "one" && Array.isArray(value)))
      return listOf(value).map((each) => this.copy(each));
    if (place === "one") {
      const before = this.#inverts;
      this.#inverts ||= keyword === "not" || keyword === "if";
      const copied = this.copy(value);
      this.#inverts = before;
      return copied;
    }
    if (place === "named") {
      const named = entriesOf(value).filter(([name]) => name !== "__proto__");
      return Object.fromEntries(named.map(([name, schema]) => [name, this.copy(schema)]));
    }
    if (keyword === "required" && Array.isArray(value)) {
      // A request has no value of a property that only responses have.
      const properties = isJsonObject(given["properties"]) ? given["properties"] : {};
      return value.filter((name) => typeof name !== "string" || !this.#isRead(properties, name));
    }
    this.#count(JSON.stringify(value).length / 100);
    return value;
  }

  #isRead(properties: JsonObject, name: string): boolean {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return name === "__proto__" || objectAt(this.#document, property)?.["readOnly"] === true;
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > mostValues) throw new TooLarge();
  }
}

/** An argument: its schema in the document, and how the copy is changed. */
export interface WholeArgument {
  key: string;
  schema: Json | undefined;
  adapt?: (schema: JsonObject) => JsonObject;
}

/** The schema of the arguments with these properties in place of those of `reduced`; `reduced` if the schemas are too large. */
export function wholeSchema(document: JsonObject, given: readonly WholeArgument[], reduced: JsonObject): JsonObject {
  const copies = new SchemaCopies(document);
  try {
    const properties = given.map(({ key, schema, adapt }): [string, Json] => {
      const copy = copies.copy(adapt === undefined ? schema : (follow(document, schema)?.value ?? schema));
      return [key, adapt === undefined || !isJsonObject(copy) ? copy : adapt(copy)];
    });
    return { ...reduced, properties: Object.fromEntries(properties), $defs: copies.definitions() };
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) throw thrown;
    return reduced;
  }
}
