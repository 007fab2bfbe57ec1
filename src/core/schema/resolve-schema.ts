// Replaces the references of a JSON Schema by their targets and converts its keywords to those of draft 2020-12. A schema that contains
// itself is cut: at a cut the inner place is open, and its description names the cut. Contract: never throws anything but an UnusableSchema; the work is
// bounded; a schema without references is kept as it is; the result accepts every value that the given schema accepts.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { currentKeywords } from "./draft-keywords.ts";
import { addSentence, sentenceOf } from "./keyword-sentence.ts";
import { listOf } from "./merge-schemas.ts";
import { isDraft, ReferenceIndex, type ReferenceKeyword } from "./reference-index.ts";
import { annotations, identifiers, isKeywordValue, isPlainKeyword, schemaPlaces } from "./schema-keyword.ts";

/** How many schemas a schema may contain after references are replaced, their nesting, and the UTF-16 units of its JSON. */
const maxSchemas = 2000;
/** How many schemas it may contain to be shown with a copy of itself inside. */
const maxRepeated = 150;
const maxDepth = 32;
const maxUnits = 64 * 1024;

const cutSentence = "Its inner parts are left out here.";

/** Whether parts of the schema were left out, because it contains itself or is beyond the bounds. */
export function isCut({ description }: JsonObject): boolean {
  return typeof description === "string" && description.includes(cutSentence);
}

/** A schema that cannot be used. The message completes a sentence such as "The schema of x …". */
export class UnusableSchema extends Error {}

/** A schema beyond the bounds. With narrower limits it may be within them. */
class TooLarge extends UnusableSchema {}

export interface ResolveOptions {
  /**
   * Whether faults are repaired: a keyword with an invalid value, or a reference without a target, is left out and said in the description,
   * and a schema beyond the bounds loses its innermost parts. Otherwise each of these makes the schema unusable.
   */
  tolerant?: boolean | undefined;
}

/** How far schemas are read: how often a schema may be inside itself, and how deep schemas are nested. */
interface Limits {
  recursions: number;
  schemas: number;
  depth: number;
  /** Whether the parts below `depth` are left out instead of being too deep. */
  cuts: boolean;
}

const strictLimits: readonly Limits[] = [
  { recursions: 1, schemas: maxRepeated, depth: maxDepth, cuts: false },
  { recursions: 0, schemas: maxSchemas, depth: maxDepth, cuts: false },
];
const tolerantLimits: readonly Limits[] = [
  ...strictLimits,
  ...[maxDepth, 10, 7, 5, 3, 2, 1].map((depth) => ({ recursions: 0, schemas: maxSchemas, depth, cuts: true })),
];

/** Returns the schema without references. Throws an UnusableSchema. */
export function resolveSchema(given: JsonObject, { tolerant = false }: ResolveOptions = {}): JsonObject | boolean {
  const index = new ReferenceIndex(given);
  let failure: unknown;
  for (const limits of tolerant ? tolerantLimits : strictLimits) {
    try {
      return new Resolver(given, index, { limits, tolerant }).resolve(given, {
        path: "",
        depth: 0,
        base: index.base,
        trail: [given],
      });
    } catch (thrown) {
      if (!(thrown instanceof TooLarge)) throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

/** A position in the schema. `trail` lists the targets of the references that led to it. */
interface Position {
  path: string;
  depth: number;
  base: string;
  trail: readonly Json[];
}

const references = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** Keywords that accept fewer values if a schema inside accepts more. They are described if a schema inside is cut. */
const inverting = ["oneOf", "not", "if", "contains", "unevaluatedProperties", "unevaluatedItems"];

class Resolver {
  readonly #index: ReferenceIndex;
  readonly #limits: Limits;
  readonly #tolerant: boolean;
  /** Before draft 2019-09, keywords next to a reference have no effect. */
  readonly #ignoresSiblings: boolean;
  #schemas = 0;
  #units = 0;
  /** The number of places that accept more values than they do in the given schema. */
  #widened = 0;

  constructor(root: JsonObject, index: ReferenceIndex, { limits, tolerant }: { limits: Limits; tolerant: boolean }) {
    this.#index = index;
    this.#limits = limits;
    this.#tolerant = tolerant;
    this.#ignoresSiblings = isDraft(root, /draft-0[3467]/);
  }

  resolve(given: Json | undefined, position: Position): JsonObject | boolean {
    this.#schemas += 1;
    if (this.#schemas > this.#limits.schemas) throw new TooLarge(`has more than ${maxSchemas} schemas in it`);
    if (typeof given === "boolean") return given;
    if (!isJsonObject(given)) {
      return this.#fault({}, `is no schema at ${position.path || "its root"}`, "Its schema is not valid.");
    }
    if (position.depth > this.#limits.depth) {
      if (!this.#limits.cuts) throw new TooLarge(`is nested deeper than ${maxDepth}`);
      return this.#cut(given);
    }
    return this.#withTargets(given, { ...position, base: this.#index.baseOf(given, position.base) });
  }

  #withTargets(given: JsonObject, position: Position): JsonObject | boolean {
    const found = references.filter((keyword) => given[keyword] !== undefined);
    const before = this.#widened;
    if (found.length === 0) return this.#keywords(given, position, before);
    const targets = found.map((keyword) => this.#target(keyword, given, position));
    const isAnnotation = ([keyword]: [string, Json]) => annotations.has(keyword) || keyword === "nullable";
    const siblings = Object.entries(given).filter(
      (entry) => !identifiers.has(entry[0]) && (!this.#ignoresSiblings || isAnnotation(entry)),
    );
    const own = this.#keywords(Object.fromEntries(siblings), position, before);
    if (typeof own === "boolean") return own;
    const [first, ...others] = targets;
    if (others.length === 0 && Object.keys(own).every((keyword) => annotations.has(keyword))) {
      if (typeof first !== "object") return first === true ? own : false;
      return { ...first, ...own };
    }
    const all = Array.isArray(own["allOf"]) ? own["allOf"] : [];
    return { ...own, allOf: [...all, ...targets] };
  }

  #target(keyword: ReferenceKeyword, given: JsonObject, position: Position): JsonObject | boolean {
    const reference = given[keyword];
    const shown = JSON.stringify(reference).slice(0, 100);
    const target = typeof reference === "string" ? this.#index.find(keyword, reference, position.base) : null;
    if (target === null || (typeof target.schema !== "boolean" && !isJsonObject(target.schema))) {
      const isInside = typeof reference === "string" && reference.startsWith("#");
      return this.#fault(
        {},
        isInside ? `refers to ${shown}, which is not there` : `refers to ${shown}; only parts of the schema are taken`,
        `It follows ${shown}, which is not known here.`,
      );
    }
    const { schema, base } = target;
    const copies = position.trail.filter((each) => each === schema).length;
    if (copies > this.#limits.recursions) return this.#cut(schema);
    return this.resolve(schema, {
      path: typeof reference === "string" ? reference : "",
      depth: position.depth + 1,
      base,
      trail: [...position.trail, schema],
    });
  }

  /** What remains of a schema that is not read further: its type and its description. */
  #cut(schema: Json): JsonObject {
    this.#widened += 1;
    const { type, title, description, nullable } = isJsonObject(schema) ? schema : {};
    const kept = currentKeywords({
      ...(type !== undefined && isKeywordValue("type", type) ? { type } : {}),
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
      ...(nullable === true ? { nullable } : {}),
    });
    this.#count(kept);
    return addSentence(kept, cutSentence);
  }

  /** Returns the schema with a sentence in place of what is wrong in it, or throws. */
  #fault(schema: JsonObject, problem: string, sentence: string): JsonObject {
    if (!this.#tolerant) throw new UnusableSchema(problem);
    this.#widened += 1;
    return addSentence(schema, sentence);
  }

  #keywords(given: JsonObject, position: Position, before: number): JsonObject | boolean {
    let result: JsonObject = {};
    const notes: string[] = [];
    const isWithPrototype = namesPrototype(given);
    for (const [keyword, stated] of Object.entries(currentKeywords(given))) {
      if (identifiers.has(keyword) || keyword === "__proto__") continue;
      const value =
        isWithPrototype && keyword === "required" ? listOf(stated).filter((name) => name !== "__proto__") : stated;
      const path = position.path === "" ? keyword : `${position.path}.${keyword}`;
      const read = this.#keyword(keyword, value, { ...position, path, depth: position.depth + 1 });
      if (read !== undefined) result[keyword] = read;
      else notes.push(`${JSON.stringify(keyword)}: ${JSON.stringify(value).slice(0, 100).toWellFormed()}`);
    }
    // No value of a call has this key, because it would change the prototype of an object.
    if (isWithPrototype)
      result = this.#fault(
        result,
        'has a property "__proto__", which is not taken',
        'The key "__proto__" cannot be given.',
      );
    if (notes.length > 0) result = addSentence(result, `Also stated: ${notes.join(", ")}.`);
    return this.#widened > before ? withoutInverting(result) : result;
  }

  /** The keyword's value without references; undefined if the value is not valid. */
  #keyword(keyword: string, value: Json, position: Position): Json | undefined {
    const place = schemaPlaces.get(keyword);
    if (place === undefined) {
      if (isKeywordValue(keyword, value) && isPlainKeyword(keyword)) this.#count({ [keyword]: value });
      return this.#valid(keyword, value, position);
    }
    if (place === "one") return this.resolve(value, position);
    if (place === "list" && Array.isArray(value)) return value.map((each) => this.resolve(each, position));
    if (place === "named" && isJsonObject(value)) return this.#byName(value, position);
    return this.#invalid(
      place === "list" ? `is no list of schemas at ${position.path}` : `is no object at ${position.path}`,
    );
  }

  #valid(keyword: string, value: Json, { path }: Position): Json | undefined {
    if (isKeywordValue(keyword, value)) return value;
    return this.#invalid(`cannot have this value at ${path}`);
  }

  #invalid(problem: string): undefined {
    if (!this.#tolerant) throw new UnusableSchema(problem);
    this.#widened += 1;
    return undefined;
  }

  #byName(value: JsonObject, position: Position): JsonObject {
    const entries = Object.entries(value).flatMap(([name, schema]): [string, Json][] => {
      if (name === "__proto__") {
        this.#invalid('has a property "__proto__", which is not taken');
        return [];
      }
      this.#count(name);
      return [[name, this.resolve(schema, { ...position, path: `${position.path}.${name}` })]];
    });
    return Object.fromEntries(entries);
  }

  #count(value: Json): void {
    this.#units += JSON.stringify(value).length;
    if (this.#units > maxUnits) throw new TooLarge(`has more than ${maxUnits} characters`);
  }
}

/** Whether a schema of an object states something about the key `__proto__`. */
function namesPrototype({ properties, required }: JsonObject): boolean {
  return listOf(required).includes("__proto__") || (isJsonObject(properties) && Object.hasOwn(properties, "__proto__"));
}

/** Describes the keywords that would accept fewer values because schemas inside accept more. */
function withoutInverting(schema: JsonObject): JsonObject {
  let result = { ...schema };
  const { oneOf, anyOf } = schema;
  for (const keyword of inverting) {
    if (result[keyword] === undefined) continue;
    const sentence = sentenceOf(keyword, schema);
    delete result[keyword];
    if (sentence !== null) result = addSentence(result, sentence);
  }
  for (const keyword of ["then", "else", "minContains", "maxContains"]) delete result[keyword];
  if (oneOf === undefined) return result;
  if (anyOf === undefined) return { ...result, anyOf: oneOf };
  return { ...result, allOf: [...(Array.isArray(result["allOf"]) ? result["allOf"] : []), { anyOf: oneOf }] };
}
