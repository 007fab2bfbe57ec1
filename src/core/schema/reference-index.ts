// Finds the targets of references within one JSON Schema: JSON pointers (also percent-encoded), anchors, and identifiers of schemas inside.
// Contract: the work to build the index is bounded, and no address outside of the schema is read.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { schemaPlaces } from "./schema-keyword.ts";

/** The maximum number of schemas in the index. A schema beyond it is found by a pointer, and not by a name of its own. */
const mostIndexed = 5000;

/** The address of the schema as a whole, if it has none. Relative identifiers are resolved against it. */
const rootAddress = "schema://root/";

/** A schema, and the address against which its references are resolved. */
export interface Target {
  schema: Json;
  base: string;
}

/** Which keyword refers to a target. Dynamic references depend on the schemas around them. */
export type ReferenceKeyword = "$ref" | "$dynamicRef" | "$recursiveRef";

export class ReferenceIndex {
  readonly #root: JsonObject;
  readonly #documents = new Map<string, JsonObject>();
  readonly #anchors = new Map<string, JsonObject>();
  /** The addresses of the schemas that have an identifier, and of those inside of them. */
  readonly #bases = new Map<JsonObject, string>();
  /** How many schemas have a dynamic anchor of a name. The name of `$recursiveAnchor` is empty. */
  readonly #dynamic = new Map<string, number>();
  readonly #isDraft4: boolean;

  constructor(root: JsonObject) {
    this.#root = root;
    this.#isDraft4 = isDraft(root, /draft-0[34]/);
    this.#documents.set(rootAddress, root);
    this.#index(root, rootAddress, 0);
  }

  /** The address against which the references of the whole schema are resolved. */
  get base(): string {
    return this.#bases.get(this.#root) ?? rootAddress;
  }

  /** The address against which the references of a schema are resolved; `outer` if the index does not contain the schema. */
  baseOf(schema: JsonObject, outer: string): string {
    return this.#bases.get(schema) ?? outer;
  }

  /** The target of a reference; null if the schema does not contain it. `base` is the address of the schema that refers to it. */
  find(keyword: ReferenceKeyword, reference: string, base: string): Target | null {
    const hash = reference.indexOf("#");
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? "" : reference.slice(hash + 1);
    const name = decoded(fragment);
    // A dynamic reference with several possible targets depends on the path of the validation.
    if (keyword === "$dynamicRef" && (this.#dynamic.get(name) ?? 0) > 1) return null;
    if (keyword === "$recursiveRef" && (this.#dynamic.get("") ?? 0) > 1) return null;
    const at = address === "" ? base : resolved(address, base);
    const document = this.#documents.get(at) ?? this.#documents.get(address) ?? (address === "" ? this.#root : null);
    if (document === null) return null;
    if (fragment === "") return { schema: document, base: at };
    if (!fragment.startsWith("/")) {
      const anchored = this.#anchors.get(`${at}#${name}`) ?? this.#anchors.get(`#${name}`);
      return anchored === undefined ? null : this.#target(anchored, at);
    }
    for (const start of new Set([document, this.#root])) {
      const found = follow(start, fragment.split("/").slice(1));
      if (found !== undefined) return this.#target(found, at);
    }
    return null;
  }

  #target(schema: Json, base: string): Target {
    return { schema, base: (isJsonObject(schema) ? this.#bases.get(schema) : undefined) ?? base };
  }

  #index(schema: Json, base: string, depth: number): void {
    if (!isJsonObject(schema) || this.#bases.has(schema)) return;
    if (this.#bases.size >= mostIndexed || depth > 64) return;
    const own = this.#identify(schema, base);
    this.#bases.set(schema, own);
    for (const [keyword, value] of Object.entries(schema)) {
      const place = schemaPlaces.get(keyword) ?? (/^(\$defs|definitions|dependencies)$/.test(keyword) ? "named" : null);
      if (place === null) continue;
      const isNamed = place === "named" && isJsonObject(value);
      const inner = isNamed ? Object.values(value) : Array.isArray(value) ? value : [value];
      for (const each of inner) this.#index(each, own, depth + 1);
    }
  }

  /** Stores the identifiers of a schema. Returns the address for the schemas inside. */
  #identify(schema: JsonObject, base: string): string {
    const { $id, id, $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    const identifier = typeof $id === "string" ? $id : this.#isDraft4 && typeof id === "string" ? id : "";
    // Before draft 2019-09, an identifier that is only a fragment is an anchor.
    const own = identifier === "" || identifier.startsWith("#") ? base : resolved(identifier.replace(/#$/, ""), base);
    if (own !== base) this.#documents.set(own, schema);
    for (const anchor of [$anchor, $dynamicAnchor, identifier.startsWith("#") ? identifier.slice(1) : null]) {
      if (typeof anchor !== "string" || anchor === "") continue;
      if (!this.#anchors.has(`${own}#${anchor}`)) this.#anchors.set(`${own}#${anchor}`, schema);
      if (!this.#anchors.has(`#${anchor}`)) this.#anchors.set(`#${anchor}`, schema);
    }
    const dynamic = typeof $dynamicAnchor === "string" ? $dynamicAnchor : $recursiveAnchor === true ? "" : null;
    if (dynamic !== null) this.#dynamic.set(dynamic, (this.#dynamic.get(dynamic) ?? 0) + 1);
    return own;
  }
}

/** Whether a schema states one of these drafts. */
export function isDraft({ $schema }: JsonObject, drafts: RegExp): boolean {
  return typeof $schema === "string" && drafts.test($schema);
}

/** The maximum length of an address with characters outside of ASCII. The time to read its host grows with the square of its length. */
const longestInternational = 200;

function resolved(address: string, base: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(address) && !/%|xn--/i.test(address);
  if (!isAscii && address.length > longestInternational) return address;
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows a JSON pointer. Each part may be percent-encoded, as the standard asks, or not. */
function follow(start: Json, parts: readonly string[]): Json | undefined {
  let found: Json | undefined = start;
  for (const part of parts) {
    const keys: string[] = [decoded(part), part].map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    found = keys.map((key) => child(found, key)).find((value) => value !== undefined);
    if (found === undefined) return undefined;
  }
  return found;
}

function child(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
