// The keywords about objects.

import { isJsonObject } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";

import { atLeastUnsure } from "./array-keywords.ts";
import { fails, passes, unsure } from "./schema-check.ts";
import type { Keyword, Outcome, RuleContext, SchemaCheck, SchemaNode, SeenParts } from "./schema-check.ts";

/** Up to this number of properties a schema looks for its own names in an object. With more it goes through the names of the object. */
const fewProperties = 32;

/** The inner schemas of a keyword by name, each read when it is needed. */
class NamedSchemas {
  readonly names: readonly string[];
  readonly #schemas: JsonObject;
  readonly #inner: RuleContext["inner"];
  readonly #nodes = new Map<string, SchemaNode | null>();

  constructor(schemas: JsonObject, { inner, check }: RuleContext) {
    const names = Object.keys(schemas);
    check.work.spend(names.length);
    // Fixed values come first. They tell alternatives apart, so the wrong ones are left early.
    const isFixed = (name: string) => {
      const schema = schemas[name];
      return isJsonObject(schema) && (schema["const"] !== undefined || schema["enum"] !== undefined);
    };
    this.names = [...names.filter(isFixed), ...names.filter((name) => !isFixed(name))];
    this.#schemas = schemas;
    this.#inner = inner;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#schemas, name);
  }

  node(name: string): SchemaNode | null {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node = this.#inner(this.#schemas[name]);
    this.#nodes.set(name, node);
    return node;
  }
}

/** The names of an object, counted. */
function namesOf(object: JsonObject, check: SchemaCheck): string[] {
  const names = Object.keys(object);
  check.work.spend(names.length);
  return names;
}

function patternsOf(value: Json | undefined): string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** Whether one of the patterns matches a name. */
function matchesAny(patterns: readonly string[], name: string, check: SchemaCheck): Outcome {
  let outcome: Outcome = fails;
  for (const source of patterns) {
    const pattern = check.pattern(source);
    if (pattern === null) outcome = unsure;
    else if (pattern.test(name)) return passes;
  }
  return outcome;
}

function sizeBound(isLower: boolean): Keyword {
  return (bound, rules) => {
    if (typeof bound !== "number" || !Number.isInteger(bound) || bound < 0) return;
    const expected = `has to have at ${isLower ? "least" : "most"} ${bound} properties`;
    rules.object.push((object, check) => {
      const { length } = namesOf(object, check);
      return (isLower ? length >= bound : length <= bound) ? passes : check.report(`${expected}, found ${length}`);
    });
  };
}

/** Checks that an object has names. */
function hasNames(
  object: JsonObject,
  { names, why = "" }: { names: readonly Json[]; why?: string },
  check: SchemaCheck,
): Outcome {
  let outcome: Outcome = passes;
  check.work.spend(names.length);
  for (const name of names) {
    if (typeof name !== "string" || Object.hasOwn(object, name)) continue;
    outcome = check.report(`is required, but missing${why}`, name);
    if (!check.isReporting) break;
  }
  return outcome;
}

/** The names and schemas that a property of an object brings with it. */
const dependencies: Keyword = (given, rules, context) => {
  if (!isJsonObject(given)) return;
  const schemas = new NamedSchemas(given, context);
  rules.object.push((object, check, seen) => {
    let outcome: Outcome = passes;
    check.work.spend(schemas.names.length);
    for (const name of schemas.names) {
      if (!Object.hasOwn(object, name)) continue;
      const needed = given[name];
      const one = Array.isArray(needed)
        ? hasNames(object, { names: needed, why: ` next to ${JSON.stringify(name.slice(0, 80))}` }, check)
        : check.apply(schemas.node(name), object, seen);
      if (one < outcome) outcome = one;
      if (outcome === fails && !check.isReporting) return fails;
    }
    return outcome;
  });
};

const plain: Record<string, Keyword> = {
  required: (names, rules) => {
    if (Array.isArray(names)) rules.object.push((object, check) => hasNames(object, { names }, check));
  },

  minProperties: sizeBound(true),
  maxProperties: sizeBound(false),

  dependencies,
  dependentRequired: dependencies,

  properties: (given, rules, context) => {
    if (!isJsonObject(given)) return;
    const schemas = new NamedSchemas(given, context);
    const isFew = schemas.names.length <= fewProperties;
    rules.object.push((object, check, seen) => {
      let outcome: Outcome = passes;
      if (isFew) check.work.spend(schemas.names.length);
      for (const name of isFew ? schemas.names : namesOf(object, check)) {
        if (!(isFew ? Object.hasOwn(object, name) : schemas.has(name))) continue;
        seen?.names.add(name);
        const one = check.applyAt(name, schemas.node(name), object[name] ?? null);
        if (one < outcome) outcome = one;
        if (outcome === fails && !check.isReporting) return fails;
      }
      return outcome;
    });
  },

  patternProperties: (given, rules, context) => {
    if (!isJsonObject(given)) return;
    const schemas = new NamedSchemas(given, context);
    rules.object.push((object, check, seen) => {
      let outcome: Outcome = passes;
      for (const name of namesOf(object, check)) {
        check.work.spend(schemas.names.length);
        for (const source of schemas.names) {
          const matches = matchesAny([source], name, check);
          if (matches === fails) continue;
          seen?.names.add(name);
          if (matches === unsure && seen !== null) seen.isUnsure = true;
          const value = object[name] ?? null;
          const one = ifKnown(matches, () => check.applyAt(name, schemas.node(source), value), check);
          if (one < outcome) outcome = one;
          if (outcome === fails && !check.isReporting) return fails;
        }
      }
      return outcome;
    });
  },

  additionalProperties: (given, rules, { schema, inner, check: { work } }) => {
    const { properties, patternProperties } = schema;
    const patterns = patternsOf(patternProperties);
    work.spend(patterns.length);
    let node: SchemaNode | null | undefined;
    rules.object.push((object, check, seen) => {
      node ??= inner(given);
      let outcome: Outcome = passes;
      for (const name of namesOf(object, check)) {
        if (isJsonObject(properties) && Object.hasOwn(properties, name)) continue;
        const matches = matchesAny(patterns, name, check);
        if (matches === passes) continue;
        seen?.names.add(name);
        const value = object[name] ?? null;
        const one = ifKnown(matches === fails ? passes : unsure, () => check.applyAt(name, node ?? null, value), check);
        if (one < outcome) outcome = one;
        if (outcome === fails && !check.isReporting) return fails;
      }
      return outcome;
    });
  },

  propertyNames: (given, rules, { inner }) => {
    let node: SchemaNode | null | undefined;
    rules.object.push((object, check) => {
      node ??= inner(given);
      let outcome: Outcome = passes;
      for (const name of namesOf(object, check)) {
        const one = check.quietly(node, name, null);
        if (one === fails) check.report("has a name that is not allowed here", name);
        if (one < outcome) outcome = one;
        if (outcome === fails && !check.isReporting) return fails;
      }
      return outcome;
    });
  },
};

/** The outcome of a part to which a rule applies, or may apply. */
function ifKnown(applies: Outcome, part: () => Outcome, check: SchemaCheck): Outcome {
  return applies === passes ? part() : atLeastUnsure(check.reportingTo(null, part));
}

const rest: Record<string, Keyword> = {
  dependentSchemas: dependencies,

  unevaluatedProperties: (given, rules, { inner }) => {
    let node: SchemaNode | null | undefined;
    rules.object.push((object, check, seen: SeenParts | null) => {
      if (seen === null || seen.allNames) return passes;
      node ??= inner(given);
      let outcome: Outcome = passes;
      for (const name of namesOf(object, check)) {
        if (seen.names.has(name)) continue;
        const value = object[name] ?? null;
        const applies = seen.isUnsure ? unsure : passes;
        const one = ifKnown(applies, () => check.applyAt(name, node ?? null, value), check);
        if (one < outcome) outcome = one;
        if (outcome === fails && !check.isReporting) return fails;
      }
      seen.allNames = true;
      return outcome;
    });
  },
};

export const objectKeywords = { plain, rest };
