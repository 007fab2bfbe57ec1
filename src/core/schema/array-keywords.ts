// The keywords about lists.

import type { Json } from "#contract/json.ts";

import { fails, passes, unsure } from "./schema-check.ts";
import type { Keyword, Outcome, RuleContext, Rules, SchemaNode } from "./schema-check.ts";

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** The schemas of the first items, by position. */
function firstItems(schemas: readonly Json[], rules: Rules, { inner }: RuleContext): void {
  const nodes = new Map<number, SchemaNode | null>();
  rules.array.push((items, check, seen) => {
    let outcome: Outcome = passes;
    const length = Math.min(items.length, schemas.length);
    check.work.spend(length);
    for (let at = 0; at < length; at += 1) {
      if (!nodes.has(at)) nodes.set(at, inner(schemas[at]));
      const one = check.applyAt(at, nodes.get(at) ?? null, items[at] ?? null);
      if (one < outcome) outcome = one;
      if (outcome === fails && !check.isReporting) return fails;
    }
    for (let at = 0; seen !== null && at < length; at += 1) seen.positions.add(at);
    return outcome;
  });
}

/** The schema of all items from a position on. */
function furtherItems({ schema, from }: { schema: Json; from: number }, rules: Rules, { inner }: RuleContext): void {
  let node: SchemaNode | null | undefined;
  rules.array.push((items, check, seen) => {
    node ??= inner(schema);
    let outcome: Outcome = passes;
    check.work.spend(Math.max(0, items.length - from));
    for (let at = from; at < items.length; at += 1) {
      const one = check.applyAt(at, node, items[at] ?? null);
      if (one < outcome) outcome = one;
      if (outcome === fails && !check.isReporting) return fails;
    }
    if (seen !== null) seen.allPositions = true;
    return outcome;
  });
}

function sizeBound(isLower: boolean): Keyword {
  return (bound, rules) => {
    if (!isCount(bound)) return;
    const expected = `has to have at ${isLower ? "least" : "most"} ${bound} items`;
    rules.array.push(({ length }, check) =>
      (isLower ? length >= bound : length <= bound) ? passes : check.report(() => `${expected}, found ${length}`),
    );
  };
}

const plain: Record<string, Keyword> = {
  minItems: sizeBound(true),
  maxItems: sizeBound(false),

  uniqueItems: (flag, rules) => {
    if (flag !== true) return;
    rules.array.push((items, check) => {
      const equal = check.equal.firstEqual(items);
      return equal === null
        ? passes
        : check.report(`has to have different items, but ${equal[0]} and ${equal[1]} are equal`);
    });
  },

  prefixItems: (schemas, rules, context) => {
    if (Array.isArray(schemas)) firstItems(schemas, rules, context);
  },

  items: (given, rules, context) => {
    const { schema, isBefore } = context;
    // A list of schemas, as in the drafts before 2020-12.
    if (Array.isArray(given)) {
      firstItems(given, rules, context);
      return;
    }
    const { prefixItems } = schema;
    const from = Array.isArray(prefixItems) && !isBefore(2020) ? prefixItems.length : 0;
    furtherItems({ schema: given, from }, rules, context);
  },

  additionalItems: (given, rules, context) => {
    const { items } = context.schema;
    if (Array.isArray(items)) furtherItems({ schema: given, from: items.length }, rules, context);
  },

  contains: (given, rules, { schema, inner, isBefore }) => {
    const { minContains, maxContains } = schema;
    const least = isCount(minContains) && !isBefore(2019) ? minContains : 1;
    const most = isCount(maxContains) && !isBefore(2019) ? maxContains : Infinity;
    let node: SchemaNode | null | undefined;
    rules.array.push((items, check, seen) => {
      node ??= inner(given);
      let [certain, possible] = [0, 0];
      check.work.spend(items.length);
      for (const [at, item] of items.entries()) {
        // Further items matter only for the upper bound and for the evaluated parts.
        if (certain >= least && most === Infinity && seen === null) return passes;
        check.path.push(at);
        const one = check.quietly(node, item, null);
        check.path.pop();
        if (one !== fails) possible += 1;
        if (one === passes) certain += 1;
        if (one !== fails && !isBefore(2020)) seen?.positions.add(at);
        if (one === unsure && seen !== null) seen.isUnsure = true;
      }
      if (possible < least) return check.report(`has to contain at least ${least} of certain items, found ${possible}`);
      if (certain > most) return check.report(`has to contain at most ${most} of certain items, found ${certain}`);
      return certain >= least && possible <= most ? passes : unsure;
    });
  },
};

const rest: Record<string, Keyword> = {
  unevaluatedItems: (given, rules, { inner }) => {
    let node: SchemaNode | null | undefined;
    rules.array.push((items, check, seen) => {
      if (seen === null || seen.allPositions) return passes;
      node ??= inner(given);
      let outcome: Outcome = passes;
      check.work.spend(items.length);
      for (const [at, item] of items.entries()) {
        if (seen.positions.has(at)) continue;
        const one = seen.isUnsure
          ? atLeastUnsure(check.reportingTo(null, () => check.applyAt(at, node ?? null, item)))
          : check.applyAt(at, node, item);
        if (one < outcome) outcome = one;
        if (outcome === fails && !check.isReporting) return fails;
      }
      seen.allPositions = true;
      return outcome;
    });
  },
};

/** The outcome of a part for which it is not known whether the rule applies to it. */
export function atLeastUnsure(outcome: Outcome): Outcome {
  return outcome === fails ? unsure : outcome;
}

export const arrayKeywords = { plain, rest };
