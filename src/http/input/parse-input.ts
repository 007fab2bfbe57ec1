// Validates input by a schema of the contract and reports every field that does not match.

import { z } from "zod";

import { refuse } from "#contract/error.ts";
import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";
import { closestWord } from "#lib/edit-distance.ts";

import { invalidField, invalidFields } from "./field-error.ts";
import type { FieldError } from "./field-error.ts";

type Issue = z.core.$ZodIssue;

const fieldLimit = 20;

/** Returns the schema's output. Throws `invalid_request` with the fields that do not match. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = parseWithin(schema, value);
  if (result.success) return result.data as z.output<S>;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const fields: FieldError[] = [];
  for (const issue of result.error.issues) {
    fields.push(...fieldsOf(issue, known));
    if (fields.length >= fieldLimit) break;
  }
  fields.length = Math.min(fields.length, fieldLimit);
  throw invalidFields([fields[0] ?? { path: "", message: "Invalid input" }, ...fields.slice(1)]);
}

/** The maximum number of comparisons for a body. A body of 100,000 values with many small messages needs a tenth of them. */
const mostComparisons = 2_000_000;

/** Parses a part of a body like `safeParse`. Throws `too_large` if that takes too much work. */
export function parseWithin<S extends z.ZodType>(schema: S, value: unknown): ReturnType<S["safeParse"]> {
  try {
    return parseCounted(schema, value, mostComparisons);
  } catch (thrown) {
    if (!(thrown instanceof ZodBoundError)) throw thrown;
    throw refuse("too_large", thrown.message);
  }
}

/** Returns the schema's output for a query. Throws `invalid_request`, also for a repeated name and for `__proto__`. */
export function parseQuery(schema: z.ZodType, parameters: URLSearchParams): unknown {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw invalidField(name, "Given more than once");
    if (name === "__proto__") throw invalidField(name, "Not a name a field can have");
    fields.set(name, value);
  }
  return parseInput(schema, Object.fromEntries(fields));
}

function fieldsOf(issue: Issue, known: readonly string[]): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const candidates = path.length === 0 ? known : [];
    // The search for a similar name takes time, so it is limited to the number of fields that an error can list.
    return issue.keys
      .slice(0, fieldLimit)
      .map((key) => ({ path: [...path, key].join("."), message: unknownField(key, candidates) }));
  }
  if (issue.code === "invalid_union") {
    const branch = nearest(issue.errors);
    if (branch !== undefined) {
      return branch
        .slice(0, fieldLimit)
        .flatMap((inner) => fieldsOf({ ...inner, path: [...issue.path, ...inner.path] }, []));
    }
  }
  return [{ path: path.join("."), message: issue.message }];
}

function unknownField(key: string, candidates: readonly string[]): string {
  const meant = closestWord(key, candidates);
  return meant === undefined ? "Unknown field" : `Unknown field, did you mean "${meant}"?`;
}

/** The branch of a union that failed at the deepest position, and is therefore likely meant; undefined if all failed at the top. */
function nearest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const reach = (branch: readonly Issue[]): number =>
    branch.reduce((most, issue) => Math.max(most, issue.path.length + Number(issue.code === "unrecognized_keys")), 0);
  const best = branches.toSorted((left, right) => reach(right) - reach(left))[0];
  return best !== undefined && reach(best) > 0 ? best : undefined;
}
