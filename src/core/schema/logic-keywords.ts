// The keywords that combine schemas: references, alternatives, conditions.

import { isJsonObject } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";

import { fails, passes, pathText, SeenParts, unsure } from "./schema-check.ts";
import type { Keyword, Outcome, ProblemList, SchemaCheck, SchemaNode } from "./schema-check.ts";

/** The maximum number of alternatives whose problems an error describes. */
const describedAlternatives = 4;

/** A value, and the list of its parts that were evaluated. */
interface Tried {
  value: Json;
  seen: SeenParts | null;
}

/** Checks one of several schemas, of which others may apply. Its evaluated parts count only if the value passes. */
function tried(check: SchemaCheck, node: SchemaNode | null, { value, seen }: Tried): Outcome {
  if (seen === null) return check.quietly(node, value, null);
  const parts = new SeenParts();
  const outcome = check.quietly(node, value, parts);
  check.work.spend(parts.names.size + parts.positions.size);
  seen.add(parts, outcome);
  return outcome;
}

/** The first problem of each of the first alternatives. */
function describedProblems(nodes: readonly (SchemaNode | null)[], value: Json, check: SchemaCheck): string {
  const { problems } = check;
  if (problems === null || problems.details === 0) return "";
  const texts = nodes.slice(0, describedAlternatives).map((node, at) => {
    const list: ProblemList = { most: 1, details: problems.details - 1, found: [] };
    check.reportingTo(list, () => check.apply(node, value, null));
    const [problem] = list.found;
    if (problem === undefined) return [];
    // Only the part of the path inside this value.
    const path = pathText(problem.path.slice(check.path.length));
    return `(${at + 1}) ${path === "" ? "" : `${path}: `}${problem.message}`;
  });
  const all = texts.flat();
  return all.length === 0 ? "" : `: ${all.join("; ")}${nodes.length > describedAlternatives ? "; …" : ""}`;
}

/** A reference whose target is found when it is first used. */
function reference(
  target: (check: SchemaCheck) => SchemaNode | null,
): (value: Json, check: SchemaCheck, seen: SeenParts | null) => Outcome {
  return (value, check, seen) => {
    const node = target(check);
    if (node !== null) return check.apply(node, value, seen);
    if (seen !== null) seen.isUnsure = true;
    return unsure;
  };
}

const references: Record<string, Keyword> = {
  $ref: (given, rules, { node: { resource }, check: { resources } }) => {
    if (typeof given !== "string") return;
    let node: SchemaNode | null | undefined;
    rules.any.push(
      reference((check) => {
        if (node !== undefined) return node;
        const target = resources.target(given, resource);
        node = target === null ? null : check.node(target.schema, target.resource);
        return node;
      }),
    );
  },

  $dynamicRef: (given, rules, { node: { resource }, check: { resources } }) => {
    if (typeof given !== "string") return;
    rules.any.push(
      reference((check) => {
        const target = resources.target(given, resource);
        if (target === null) return null;
        const name = given.split("#", 2)[1] ?? "";
        const isDynamic = isJsonObject(target.schema) && target.schema["$dynamicAnchor"] === name;
        check.work.spend(check.scope.length);
        const outer = isDynamic ? check.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(name)) : undefined;
        const schema = outer?.dynamicAnchors.get(name);
        return outer === undefined || schema === undefined
          ? check.node(target.schema, target.resource)
          : check.node(schema, outer);
      }),
    );
  },

  $recursiveRef: (given, rules, { node: { resource } }) => {
    if (given !== "#") return;
    rules.any.push(
      reference((check) => {
        check.work.spend(check.scope.length);
        const isRecursive = ({ root }: typeof resource) => isJsonObject(root) && root["$recursiveAnchor"] === true;
        const outer = isRecursive(resource) ? check.scope.find(isRecursive) : undefined;
        const { root } = outer ?? resource;
        return check.node(root, outer ?? resource);
      }),
    );
  },
};

const combined: Record<string, Keyword> = {
  allOf: (given, rules, { inner }) => {
    if (!Array.isArray(given) || given.length === 0) return;
    let nodes: (SchemaNode | null)[] | undefined;
    rules.any.push((value, check, seen) => {
      nodes ??= given.map(inner);
      let outcome: Outcome = passes;
      for (const node of nodes) {
        const one = check.apply(node, value, seen);
        if (one < outcome) outcome = one;
        if (outcome === fails && !check.isReporting) return fails;
      }
      return outcome;
    });
  },

  anyOf: (given, rules, { inner, node: own }) => {
    if (!Array.isArray(given) || given.length === 0) return;
    own.alternatives += given.length;
    const nodes: (SchemaNode | null)[] = [];
    rules.any.push((value, check, seen) => {
      let outcome: Outcome = fails;
      for (const [at, schema] of given.entries()) {
        if (nodes.length === at) nodes.push(inner(schema));
        const one = tried(check, nodes[at] ?? null, { value, seen });
        if (one > outcome) outcome = one;
        if (outcome === passes && seen === null) return passes;
      }
      if (outcome !== fails) return outcome;
      return check.report(
        () => `matches none of ${given.length} alternatives${describedProblems(nodes, value, check)}`,
      );
    });
  },

  oneOf: (given, rules, { inner, node: own }) => {
    if (!Array.isArray(given) || given.length === 0) return;
    own.alternatives += given.length;
    const nodes: (SchemaNode | null)[] = [];
    rules.any.push((value, check, seen) => {
      const certain: number[] = [];
      let possible = 0;
      for (const [at, schema] of given.entries()) {
        if (nodes.length === at) nodes.push(inner(schema));
        const one = tried(check, nodes[at] ?? null, { value, seen });
        if (one !== fails) possible += 1;
        if (one === passes) certain.push(at + 1);
        const [first, second] = certain;
        if (second !== undefined) {
          return check.report(`has to match one of ${given.length} alternatives, but matches ${first} and ${second}`);
        }
      }
      if (possible > 0) return certain.length === 1 && possible === 1 ? passes : unsure;
      return check.report(
        () => `matches none of ${given.length} alternatives${describedProblems(nodes, value, check)}`,
      );
    });
  },

  not: (given, rules, { inner }) => {
    let node: SchemaNode | null | undefined;
    rules.any.push((value, check) => {
      node ??= inner(given);
      const outcome = check.quietly(node, value, null);
      if (outcome === passes) return check.report("matches a schema that it must not match");
      return outcome === unsure ? unsure : passes;
    });
  },

  if: (given, rules, { schema, inner }) => {
    let node: SchemaNode | null | undefined;
    const read = new Map<string, SchemaNode | null>();
    const branch = (name: "then" | "else"): SchemaNode | null => {
      if (!read.has(name)) read.set(name, inner(schema[name]));
      return read.get(name) ?? null;
    };
    rules.any.push((value, check, seen) => {
      node ??= inner(given);
      const condition = tried(check, node, { value, seen });
      if (condition !== unsure) return check.apply(branch(condition === passes ? "then" : "else"), value, seen);
      const both = [tried(check, branch("then"), { value, seen }), tried(check, branch("else"), { value, seen })];
      if (both.some((outcome) => outcome !== fails)) return unsure;
      return check.report("matches neither `then` nor `else` of its schema");
    });
  },
};

export const logicKeywords = { references, combined };
