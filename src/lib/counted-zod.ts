// Bounds the work of a zod schema on a value from outside, such as a model's arguments. zod tries each alternative of a union with the whole
// value, and keeps a problem for each wrong part, so a small value can become much work: an expression of 30 levels takes a thousand million
// steps if each level is tried twice. Every schema that zod runs is counted, and after the first problems the rest of a value is skipped.
//
// The schemas of a project are objects that live as long as its code. Each one gets a counting `run` when it is first used here. Outside of
// `parseCounted` it does nothing but call the original.

import type { z } from "zod";

/** The maximum number of comparisons of a check. A comparison is a schema that zod runs with a value. */
const mostZodComparisons = 500_000;

/** A check that needs more comparisons than its bound. */
export class ZodBoundError extends Error {
  override readonly name = "ZodBoundError";

  constructor(limit: number) {
    super(`The check needs more than ${limit} comparisons. Use fewer or less nested values.`);
  }
}

/** Comparisons of a schema that found a problem, in addition to the one of every schema. Problems take time and memory. */
const problemCost = 20;

/** The number of problems after which the rest of a value, or the rest of an alternative, is skipped. */
const mostProblems = 10;

/** Schemas whose problems are always problems of the schema around them. Other schemas may drop the problems of an inner schema. */
const passing = new Set(
  (
    "object array tuple record map set intersection optional nullable nonoptional default prefault readonly lazy pipe " +
    "promise success"
  ).split(" "),
);

/** The value that is being parsed, with the problems of one alternative. */
interface Counter {
  comparisons: number;
  readonly most: number;
  problems: number;
  /** The schema that runs the next one. */
  around: z.core.$ZodType | null;
}

let counter: Counter | null = null;

const counted = new WeakSet<z.core.$ZodType>();

type Run = z.core.$ZodType["_zod"]["run"];

/** Parses a value. Throws a `ZodBoundError` if that takes too much work. Of more than ten problems the first ones are reported. */
export function parseCounted<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  most = mostZodComparisons,
): ReturnType<Schema["safeParse"]> {
  count(schema);
  const outer = counter;
  counter = { comparisons: 0, most, problems: 0, around: null };
  try {
    return schema.safeParse(value) as ReturnType<Schema["safeParse"]>;
  } finally {
    counter = outer;
  }
}

/** Gives a schema its counting `run`. The schemas inside it get theirs when it runs, because a recursive schema has no end. */
function count(schema: z.core.$ZodType): void {
  if (counted.has(schema)) return;
  counted.add(schema);
  const internals = schema._zod;
  const run: Run = internals.run.bind(internals);
  let isReady = false;
  internals.run = (payload, context) => {
    if (!isReady) for (const inner of innerSchemas(schema)) count(inner);
    isReady = true;
    return runCounted(schema, payload, () => run(payload, context));
  };
}

function runCounted(
  schema: z.core.$ZodType,
  payload: z.core.ParsePayload,
  run: () => ReturnType<Run>,
): ReturnType<Run> {
  const state = counter;
  if (state === null) return run();
  if (state.problems >= mostProblems) return payload;
  spend(state, 1);
  const { around, problems } = state;
  const isAlternative = around !== null && mayDrop(around, schema);
  if (isAlternative) state.problems = 0;
  const inner = state.problems;
  const before = payload.issues.length;
  const isAbsent = payload.value === undefined;
  state.around = schema;
  const result = run();
  state.around = around;
  const hasProblem = !(result instanceof Promise) && result.issues.length > before;
  if (hasProblem) spend(state, problemCost);
  // The innermost schema with the problem counts it. An absent value may be optional.
  if (hasProblem && !isAbsent && state.problems === inner) state.problems += 1;
  if (isAlternative) state.problems = problems;
  return result;
}

function spend(state: Counter, comparisons: number): void {
  state.comparisons += comparisons;
  if (state.comparisons > state.most) throw new ZodBoundError(state.most);
}

/** Whether `around` may be valid though `inner` has problems. */
function mayDrop({ _zod: { def } }: z.core.$ZodType, inner: z.core.$ZodType): boolean {
  return !passing.has(def.type) || (def.type === "record" && (def as z.core.$ZodRecordDef).keyType === inner);
}

/** The schemas directly inside a schema, found in its definition. */
function innerSchemas(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { def } = schema._zod;
  const lazy = def.type === "lazy" ? [(schema as z.core.$ZodLazy)._zod.innerType] : [];
  const values: unknown[] = Object.values(def).flatMap((value: unknown): unknown[] => {
    if (isSchema(value)) return [value];
    return typeof value === "object" && value !== null ? Object.values(value) : [];
  });
  return [...lazy, ...values].filter(isSchema);
}

function isSchema(value: unknown): value is z.core.$ZodType {
  if (typeof value !== "object" || value === null || !("_zod" in value)) return false;
  const internals = value._zod;
  return typeof internals === "object" && internals !== null && "run" in internals && "def" in internals;
}
