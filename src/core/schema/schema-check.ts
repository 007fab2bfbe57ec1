// One check of a value by a JSON Schema. The schema is read part by part, when a value needs the part. All work is counted, and the check stops
// at the first problems.

import { isJsonObject } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";

import { EqualValues } from "./equal-values.ts";
import { schemaPattern } from "./schema-pattern.ts";
import type { SchemaPattern } from "./schema-pattern.ts";
import { SchemaResources } from "./schema-resources.ts";
import type { SchemaResource } from "./schema-resources.ts";
import type { SchemaWork } from "./schema-work.ts";

/**
 * The outcome of a schema or a keyword for a value. `unsure`: a part of the schema cannot be checked, and the value passes all other parts.
 * All of several outcomes together are their minimum, and any of them their maximum.
 */
export type Outcome = 0 | 1 | 2;
export const fails = 0;
export const unsure = 1;
export const passes = 2;

/** Checks one keyword. It reports a problem if the outcome is `fails`. */
export type Rule<Value> = (value: Value, check: SchemaCheck, seen: SeenParts | null) => Outcome;

/** The parts of a value that schemas have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export class SeenParts {
  readonly names = new Set<string>();
  readonly positions = new Set<number>();
  allNames = false;
  allPositions = false;
  /** A schema was unsure, so it is not known whether its parts count. */
  isUnsure = false;

  add(inner: SeenParts, outcome: Outcome): void {
    if (outcome === fails) return;
    for (const name of inner.names) this.names.add(name);
    for (const position of inner.positions) this.positions.add(position);
    this.allNames ||= inner.allNames;
    this.allPositions ||= inner.allPositions;
    this.isUnsure ||= inner.isUnsure || outcome === unsure;
  }
}

/** The rules of a schema by the type of value that they apply to. */
export interface Rules {
  any: Rule<Json>[];
  object: Rule<JsonObject>[];
  array: Rule<Json[]>[];
  string: Rule<string>[];
  number: Rule<number>[];
}

/** A schema that was read. */
export interface SchemaNode {
  readonly schema: JsonObject | boolean;
  readonly resource: SchemaResource;
  readonly rules: Rules;
  /** Whether a keyword of the schema needs to know which parts of the value others have evaluated. */
  readonly tracks: boolean;
  /** The number of values that were checked, and the number of alternatives of a value. */
  applied: number;
  alternatives: number;
}

/** The parts of a schema that makers of rules use. */
export interface RuleContext {
  readonly schema: JsonObject;
  readonly node: SchemaNode;
  readonly check: SchemaCheck;
  /** Reads an inner schema, when the rule needs it. */
  readonly inner: (schema: Json | undefined) => SchemaNode | null;
  /** Whether the schema declares a draft that is older than this one. */
  readonly isBefore: (draft: number) => boolean;
}

/** Adds the rules of a keyword. An invalid value of a keyword adds none. */
export type Keyword = (value: Json, rules: Rules, context: RuleContext) => void;

/** A keyword with its name and the first draft that has it. */
export interface KnownKeyword {
  readonly name: string;
  readonly add: Keyword;
  readonly since: number;
}

const noRules = (): Rules => ({ any: [], object: [], array: [], string: [], number: [] });

/** Where problems are reported. `details`: how deep the alternatives of a value are described. */
export interface ProblemList {
  readonly most: number;
  readonly details: number;
  readonly found: { path: readonly (string | number)[]; message: string }[];
}

/** One check. */
export class SchemaCheck {
  readonly work: SchemaWork;
  readonly equal: EqualValues;
  readonly resources: SchemaResources;
  /** Where the check is: names and positions in the value. */
  readonly path: (string | number)[] = [];
  /** The resources that are being applied, the outermost first. */
  readonly scope: SchemaResource[] = [];
  /** Null while nothing is reported. */
  problems: ProblemList | null;
  readonly nodes = new Map<object, SchemaNode>();
  readonly #patterns = new Map<string, SchemaPattern | null>();
  readonly #draft: number;
  readonly #keywords: readonly KnownKeyword[];

  constructor(
    schema: JsonObject | boolean,
    { work, problems, keywords }: { work: SchemaWork; problems: ProblemList; keywords: readonly KnownKeyword[] },
  ) {
    this.work = work;
    this.equal = new EqualValues(work);
    this.problems = problems;
    this.#keywords = keywords;
    this.#draft = draftOf(schema);
    this.resources = new SchemaResources(schema, work, this.#isOld);
  }

  /** Whether a reference replaces the keywords next to it. */
  get #isOld(): boolean {
    return this.#draft <= 7;
  }

  /** Reads a schema, once. Null for a value that is no schema, which has no effect. */
  node(schema: Json | undefined, around: SchemaResource): SchemaNode | null {
    if (typeof schema === "boolean") {
      return { schema, resource: around, rules: noRules(), tracks: false, applied: 0, alternatives: 0 };
    }
    if (!isJsonObject(schema)) return null;
    const known = this.nodes.get(schema);
    if (known !== undefined) return known;
    this.work.spend(1);
    const resource = this.resources.resourceOf(schema, around);
    const names = Object.keys(schema);
    this.work.spend(names.length);
    const tracks = "unevaluatedProperties" in schema || "unevaluatedItems" in schema;
    const node = { schema, resource, rules: noRules(), tracks, applied: 0, alternatives: 0 };
    this.nodes.set(schema, node);
    const context: RuleContext = {
      schema,
      node,
      check: this,
      inner: (inner) => this.node(inner, resource),
      isBefore: (draft) => this.#draft < draft,
    };
    const isReplaced = this.#isOld && typeof schema["$ref"] === "string";
    for (const { name, add, since } of this.#keywords) {
      const isPresent = Object.hasOwn(schema, name) && since <= this.#draft;
      if (isPresent && (name === "$ref" || !isReplaced)) add(schema[name] ?? null, node.rules, context);
    }
    return node;
  }

  /** Checks a value by a schema. `seen` collects the evaluated parts of the value. */
  apply(node: SchemaNode | null, value: Json, seen: SeenParts | null): Outcome {
    const { work } = this;
    if (node === null) {
      work.spend(1);
      return passes;
    }
    work.enter();
    if (typeof node.schema === "boolean") {
      work.leave();
      return node.schema ? passes : this.report("is not allowed");
    }
    node.applied += 1;
    const isEntered = this.scope.at(-1) !== node.resource;
    if (isEntered) this.scope.push(node.resource);
    const parts = node.tracks ? new SeenParts() : seen;
    let outcome = this.#all(node.rules.any, value, parts);
    if (outcome !== fails || this.isReporting) {
      const inner = this.#byType(node.rules, value, parts);
      if (inner < outcome) outcome = inner;
    }
    if (node.tracks && seen !== null && parts !== null) {
      work.spend(parts.names.size + parts.positions.size);
      seen.add(parts, outcome);
    }
    if (isEntered) this.scope.pop();
    work.leave();
    return outcome;
  }

  #byType(rules: Rules, value: Json, seen: SeenParts | null): Outcome {
    if (typeof value === "string") return this.#all(rules.string, value, seen);
    if (typeof value === "number") return this.#all(rules.number, value, seen);
    if (Array.isArray(value)) return this.#all(rules.array, value, seen);
    return isJsonObject(value) ? this.#all(rules.object, value, seen) : passes;
  }

  #all<Value>(rules: readonly Rule<Value>[], value: Value, seen: SeenParts | null): Outcome {
    let outcome: Outcome = passes;
    for (const rule of rules) {
      this.work.spend(1);
      const one = rule(value, this, seen);
      if (one < outcome) outcome = one;
      if (outcome === fails && !this.isReporting) break;
    }
    return outcome;
  }

  /** Checks a part of the value. */
  applyAt(key: string | number, node: SchemaNode | null, value: Json): Outcome {
    if (node === null || node.schema === true) return passes;
    this.path.push(key);
    const outcome = this.apply(node, value, null);
    this.path.pop();
    return outcome;
  }

  /** Checks without reporting problems. */
  quietly(node: SchemaNode | null, value: Json, seen: SeenParts | null): Outcome {
    return this.reportingTo(null, () => this.apply(node, value, seen));
  }

  /** Runs a part of the check with another list of problems. */
  reportingTo(problems: ProblemList | null, part: () => Outcome): Outcome {
    const before = this.problems;
    this.problems = problems;
    const outcome = part();
    this.problems = before;
    return outcome;
  }

  /** Whether further problems are wanted after the first one. */
  get isReporting(): boolean {
    return this.problems !== null && this.problems.found.length < this.problems.most;
  }

  /**
   * Reports a problem of the current part of the value, or of `key` in it. The list has the problem before its message is made, because
   * describing alternatives may take too much work.
   */
  report(message: string | (() => string), key?: string | number): typeof fails {
    if (this.problems !== null && this.isReporting) {
      const path = key === undefined ? [...this.path] : [...this.path, key];
      const problem = { path, message: typeof message === "string" ? message : "does not match" };
      this.problems.found.push(problem);
      if (typeof message !== "string") problem.message = message();
    }
    return fails;
  }

  /** A compiled pattern; null for one that is not checked. */
  pattern(source: string): SchemaPattern | null {
    this.work.spend(1);
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    const pattern = schemaPattern(source, this.work);
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

/** The draft that a schema declares; Infinity if it declares none, and then keywords of all drafts apply. */
function draftOf(schema: JsonObject | boolean): number {
  const declared = typeof schema === "object" ? schema["$schema"] : undefined;
  if (typeof declared !== "string") return Infinity;
  const [, draft] = /(?:draft-0?|draft\/)(\d{1,4})/.exec(declared.slice(0, 200)) ?? [];
  return draft === undefined ? Infinity : Number(draft);
}

/** The maximum number of names in the text of a path, and of characters of a name. */
const shownNames = 12;
const shownCharacters = 80;

/** A path as text. A long path loses its middle. */
export function pathText(path: readonly (string | number)[]): string {
  const names = path.map((name) =>
    String(name).length > shownCharacters ? `${String(name).slice(0, shownCharacters)}…` : String(name),
  );
  const half = shownNames / 2;
  return (names.length > shownNames ? [...names.slice(0, half), "…", ...names.slice(-half)] : names).join(".");
}
