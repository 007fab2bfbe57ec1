// The keywords about single values: their type, their equality, numbers and texts.

import { isJsonObject } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";

import { isMultiple } from "./equal-values.ts";
import type { ValueSet } from "./equal-values.ts";
import { fails, passes, unsure } from "./schema-check.ts";
import type { Keyword, Outcome, Rule } from "./schema-check.ts";

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Comparisons for the exact division of two numbers. */
const divisionCost = 40;

/** The type of a JSON value. A number without a fraction is an integer, and also a number. */
function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

/** A short text of a value, for an error. */
function shortText(value: Json): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isJsonObject(value)) return "an object";
  if (typeof value !== "string") return `${typeof value} ${String(value)}`.replace("object null", "null");
  return `string ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
}

/** A short text of an expected value. */
function expectedText(value: Json): string {
  return typeof value === "object" && value !== null
    ? shortText(value)
    : JSON.stringify(typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

/** The maximum number of members of `enum` that an error lists. */
const shownMembers = 20;

function isCount(value: Json): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** A bound of numbers. `isBelow`: it is a lower bound. */
function numberBound(bound: number, isLower: boolean, isExclusive: boolean): Rule<number> {
  const expected = `has to be ${isLower ? "greater than" : "less than"}${isExclusive ? "" : " or equal to"} ${bound}`;
  return (value, check) => {
    const fits = isLower ? value > bound : value < bound;
    return fits || (!isExclusive && value === bound) ? passes : check.report(() => `${expected}, found ${value}`);
  };
}

/** `minimum` and `maximum`, which are exclusive by a flag in draft 4. */
function plainBound(isLower: boolean): Keyword {
  return (bound, rules, { schema }) => {
    if (typeof bound !== "number") return;
    const flag = schema[isLower ? "exclusiveMinimum" : "exclusiveMaximum"];
    rules.number.push(numberBound(bound, isLower, flag === true));
  };
}

function exclusiveBound(isLower: boolean): Keyword {
  return (bound, rules) => {
    if (typeof bound === "number") rules.number.push(numberBound(bound, isLower, true));
  };
}

/** `minLength` and `maxLength`. A character outside of the basic plane has two UTF-16 units, so long texts are seldom counted. */
function lengthBound(isLower: boolean): Keyword {
  return (bound, rules) => {
    if (!isCount(bound)) return;
    const expected = `has to have at ${isLower ? "least" : "most"} ${bound} characters`;
    rules.string.push((value, check): Outcome => {
      const units = value.length;
      const fewest = Math.ceil(units / 2);
      if (isLower ? fewest >= bound : units <= bound) return passes;
      let characters = units;
      if (isLower ? units >= bound : fewest <= bound) {
        // Counting takes more time than comparing.
        check.work.spendText(4 * units);
        characters = 0;
        for (let at = 0; at < units; at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) characters += 1;
      }
      if (isLower ? characters >= bound : characters <= bound) return passes;
      return check.report(() => `${expected}, found ${characters}`);
    });
  };
}

export const valueKeywords: Record<string, Keyword> = {
  type: (given, rules, { schema }) => {
    const all = Array.isArray(given) ? given : [given];
    // An unknown type, such as "any", has no effect.
    if (all.length === 0 || !all.every((one) => typeof one === "string" && types.has(one))) return;
    const allowed = new Set(all as string[]);
    // In OpenAPI 3.0, this keyword adds null to the type next to it.
    if (schema["nullable"] === true) allowed.add("null");
    const expected = `has to be ${[...allowed].join(" or ")}`;
    rules.any.push((value, check) => {
      const type = typeOf(value);
      if (allowed.has(type) || (type === "integer" && allowed.has("number"))) return passes;
      return check.report(() => `${expected}, found ${shortText(value)}`);
    });
  },

  const: (constant, rules, { check: { equal } }) => {
    let members: ValueSet | undefined;
    rules.any.push((value, check) => {
      members ??= equal.setOf([constant]);
      return members.has(value)
        ? passes
        : check.report(() => `has to be ${expectedText(constant)}, found ${shortText(value)}`);
    });
  },

  enum: (given, rules, { schema, check: { equal } }) => {
    if (!Array.isArray(given)) return;
    const allowsNull = schema["nullable"] === true && schema["type"] !== undefined;
    let members: ValueSet | undefined;
    rules.any.push((value, check) => {
      members ??= equal.setOf(given);
      if (members.has(value) || (allowsNull && value === null)) return passes;
      return check.report(() => {
        const shown = given.slice(0, shownMembers).map(expectedText).join(", ");
        const more = given.length > shownMembers ? ` or one of ${given.length - shownMembers} more` : "";
        return `has to be one of ${shown}${more}, found ${shortText(value)}`;
      });
    });
  },

  minimum: plainBound(true),
  maximum: plainBound(false),
  exclusiveMinimum: exclusiveBound(true),
  exclusiveMaximum: exclusiveBound(false),

  multipleOf: (step, rules) => {
    if (typeof step !== "number" || !(step > 0)) return;
    rules.number.push((value, check) => {
      check.work.spend(divisionCost);
      return isMultiple(value, step) ? passes : check.report(() => `has to be a multiple of ${step}, found ${value}`);
    });
  },

  minLength: lengthBound(true),
  maxLength: lengthBound(false),

  pattern: (source, rules) => {
    if (typeof source !== "string") return;
    rules.string.push((value, check): Outcome => {
      const pattern = check.pattern(source);
      if (pattern === null) return unsure;
      if (pattern.test(value)) return passes;
      check.report(() => `has to match the pattern ${source.slice(0, 200)}, found ${shortText(value)}`);
      return fails;
    });
  },
};
