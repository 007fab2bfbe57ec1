// The references of a JSON Schema of drafts 4 to 2020-12: which schema `$ref`, `$dynamicRef` and `$recursiveRef` mean. A reference to another
// document has no target, because nothing is fetched.

import { isJsonObject } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";

import type { SchemaWork } from "./schema-work.ts";

/** A schema with an identifier of its own, or the root. Its references are relative to `base`. */
export interface SchemaResource {
  readonly base: string;
  readonly root: JsonObject | boolean;
  /** The schemas with a name in this resource. */
  readonly anchors: Map<string, JsonObject>;
  /** Those whose name a `$dynamicRef` looks up in all resources that are being applied. */
  readonly dynamicAnchors: Map<string, JsonObject>;
}

/** A schema that a reference means. */
export interface ReferenceTarget {
  schema: JsonObject | boolean;
  resource: SchemaResource;
}

/** The base of a schema without an identifier. No such host exists. */
const noBase = "https://schema.invalid/";

/** Comparisons for reading one identifier or one reference. */
const addressCost = 10;

/** Keywords whose value is a schema or a list of schemas, and keywords whose value has schemas by name. */
const direct = new Set(
  (
    "items additionalItems prefixItems contains unevaluatedItems additionalProperties propertyNames unevaluatedProperties " +
    "allOf anyOf oneOf not if then else contentSchema"
  ).split(" "),
);
const named = new Set("properties patternProperties dependentSchemas dependencies $defs definitions".split(" "));

/** The resources of one schema. */
export class SchemaResources {
  readonly root: SchemaResource;
  readonly #work: SchemaWork;
  readonly #byBase = new Map<string, SchemaResource>();
  readonly #bySchema = new Map<object, SchemaResource>();
  /** In drafts 4 to 7 a reference replaces the keywords next to it. */
  readonly #isOld: boolean;
  #isIndexed = false;

  constructor(schema: JsonObject | boolean, work: SchemaWork, isOld: boolean) {
    this.#work = work;
    this.#isOld = isOld;
    this.root = this.#add(schema, noBase);
  }

  /** The resource that a schema begins, or the resource around it. */
  resourceOf(schema: JsonObject, around: SchemaResource): SchemaResource {
    if (identifierOf(schema) === null) return around;
    this.#index();
    return this.#bySchema.get(schema) ?? around;
  }

  /** The target of a reference; null for none. */
  target(reference: string, from: SchemaResource): ReferenceTarget | null {
    if (reference === "#") return { schema: from.root, resource: from };
    this.#work.spend(addressCost);
    this.#work.spendText(reference.length);
    if (reference.startsWith("#/")) return this.#pointed(reference.slice(1), from);
    this.#index();
    const address = this.#resolved(reference, from.base);
    if (address === null) return null;
    const [base = "", fragment = ""] = address.split("#", 2);
    const resource = this.#byBase.get(base);
    if (resource === undefined) return null;
    if (fragment === "") return { schema: resource.root, resource };
    if (fragment.startsWith("/")) return this.#pointed(fragment, resource);
    const schema = resource.anchors.get(decoded(fragment));
    return schema === undefined ? null : { schema, resource };
  }

  /** The schema at a pointer such as `/$defs/a`. */
  #pointed(pointer: string, from: SchemaResource): ReferenceTarget | null {
    let found: Json | undefined = from.root;
    let resource = from;
    for (const part of pointer.split("/").slice(1)) {
      this.#work.spend(1);
      const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(found)) found = /^\d+$/.test(key) ? found[Number(key)] : undefined;
      else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
      if (isJsonObject(found)) resource = this.resourceOf(found, resource);
    }
    return isJsonObject(found) || typeof found === "boolean" ? { schema: found, resource } : null;
  }

  /** The address of a reference; null for an invalid one. */
  #resolved(reference: string, base: string): string | null {
    this.#work.spend(costOfAddress(reference) + (base === noBase ? 0 : costOfAddress(base)));
    try {
      return new URL(reference, base).href;
    } catch {
      return null;
    }
  }

  #add(schema: JsonObject | boolean, base: string): SchemaResource {
    const resource = { base, root: schema, anchors: new Map(), dynamicAnchors: new Map() };
    if (!this.#byBase.has(base)) this.#byBase.set(base, resource);
    if (typeof schema === "object") this.#bySchema.set(schema, resource);
    return resource;
  }

  /** Finds all identifiers and anchors, once. It visits each schema once, without recursion. */
  #index(): void {
    if (this.#isIndexed) return;
    this.#isIndexed = true;
    const waiting: { schema: Json; around: SchemaResource }[] = [{ schema: this.root.root, around: this.root }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { schema, around } = next;
      this.#work.spend(1);
      if (!isJsonObject(schema)) continue;
      const resource = this.#begun(schema, around);
      for (const [key, value] of Object.entries(schema)) {
        this.#work.spend(1);
        const isNamed = named.has(key) && isJsonObject(value);
        if (!isNamed && !direct.has(key)) continue;
        const inner = isNamed ? Object.values(value) : Array.isArray(value) ? value : [value];
        for (const each of inner) waiting.push({ schema: each, around: resource });
      }
    }
  }

  /** Reads the identifier and the anchors of a schema. Returns the resource that it begins, or the one around it. */
  #begun(schema: JsonObject, around: SchemaResource): SchemaResource {
    if (this.#isOld && typeof schema["$ref"] === "string") return around;
    const identifier = identifierOf(schema);
    let resource = around;
    if (identifier !== null) {
      const base = this.#resolved(identifier, around.base)?.split("#", 1)[0];
      if (base !== undefined && schema === this.root.root) {
        // The root is already a resource, which now has a second address.
        resource = { ...this.root, base };
        this.#byBase.set(base, resource);
        this.#bySchema.set(schema, resource);
      } else if (base !== undefined) {
        resource = this.#add(schema, base);
      }
    }
    const { $anchor, $dynamicAnchor, $id, id } = schema;
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === "string") resource.anchors.set(name, schema);
    if (typeof $dynamicAnchor === "string") resource.dynamicAnchors.set($dynamicAnchor, schema);
    // In drafts 4 to 7 an identifier that is only a fragment is a name.
    const fragment = $id ?? id;
    if (typeof fragment === "string" && /^#[^/]/.test(fragment)) resource.anchors.set(fragment.slice(1), schema);
    return resource;
  }
}

/** The identifier of a schema that begins a resource; null for none. Draft 4 calls it `id`. */
function identifierOf({ $id, id }: JsonObject): string | null {
  const identifier = $id ?? id;
  return typeof identifier === "string" && !identifier.startsWith("#") ? identifier : null;
}

/** The comparisons for reading an address. The time for a name of a host that is not ASCII grows with the square of its length. */
function costOfAddress(address: string): number {
  const isAscii = /^[\x20-\x7e]*$/.test(address) && !/%|xn--/i.test(address);
  return addressCost + address.length + (isAscii ? 0 : Math.ceil(address.length ** 2 / 50));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
