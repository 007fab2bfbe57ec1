// The bound of the work of a zod schema on a value from outside.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { Json } from "#contract/json.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";

const seed = Number(process.env["SCHEMA_SEED"] ?? Date.now() % 2 ** 31);

/** Counts how often a schema is run. */
function counting() {
  const counter = { runs: 0 };
  const schema = z.custom((value) => {
    counter.runs += 1;
    return value === "right";
  });
  return { counter, schema };
}

const many = Array<Json>(100_000).fill("wrong");

describe("a value with many problems", () => {
  it.for<[string, (item: z.ZodType) => z.ZodType, Json, number]>([
    ["a list", (item) => z.object({ a: z.array(item) }), { a: many }, 10],
    ["a list in each of three alternatives", (item) => z.union([z.array(item), z.set(item), z.array(item)]), many, 20],
    ["a record", (item) => z.record(z.string(), item), Object.fromEntries(many.map((value, at) => [at, value])), 10],
    ["objects without a field", (item) => z.array(z.object({ a: item })), many.map(() => ({})), 10],
    ["objects in two lists", (item) => z.object({ a: z.array(item), b: z.array(item) }), { a: many, b: many }, 10],
    ["an intersection", (item) => z.intersection(z.array(item), z.array(item)), many, 10],
    ["a lazy schema", (item) => z.lazy(() => z.array(z.lazy(() => item.optional()))), many, 10],
  ])("The check of %s stops after ten problems", ([, of, value, most]) => {
    const { counter, schema } = counting();
    const checked = checkArguments(of(schema), value);
    expect(checked).toMatchObject({ ok: false });
    expect(counter.runs).toBe(most);
  });

  it("Problems of an alternative do not stop the check of the next alternative", () => {
    const { counter, schema } = counting();
    const both = z.object({ list: z.union([z.array(schema), z.array(z.string()).length(100_000)]), last: z.number() });
    const value = { list: many, last: 1 };
    expect(checkArguments(both, value)).toEqual({ ok: true, args: value });
    expect(counter.runs).toBe(10);
    expect(checkArguments(both, { list: many, last: "x" })).toMatchObject({ ok: false });
  });

  it("A caught problem, and a problem of an absent optional field, do not stop the check", () => {
    const caught = z.array(z.object({ a: z.string().catch("b"), c: z.string().optional(), d: z.number().default(1) }));
    const values = Array<Json>(5000).fill({ a: 1 });
    expect(checkArguments(caught, values)).toEqual({ ok: true, args: values.map(() => ({ a: "b", d: 1 })) });
  });
});

describe("a check that takes too much work", () => {
  it("The check of many values against many alternatives ends at the bound, with an error that a model can act on", () => {
    const { counter, schema } = counting();
    const union = z.array(z.union([...Array<z.ZodType>(500).fill(schema), z.string()]));
    const checked = checkArguments(union, many);
    expect(checked).toMatchObject({ ok: false, isTooMuch: true });
    expect(checked.ok ? "" : checked.problem).toMatch(/more than 500000 comparisons\. Use fewer/);
    expect(counter.runs).toBeLessThan(500_000);
  });

  it("The check of alternatives inside alternatives ends at the bound", () => {
    let schema: z.ZodType = z.string();
    for (let depth = 0; depth < 40; depth += 1) schema = z.union([z.tuple([schema, schema]), z.tuple([schema])]);
    let value: Json = 1;
    for (let depth = 0; depth < 40; depth += 1) value = [value];
    expect(checkArguments(schema, value).ok).toBe(false);
    let wide: z.ZodType = z.string();
    for (let depth = 0; depth < 40; depth += 1) {
      const inner = wide;
      wide = z.union([z.object({ a: inner, b: z.literal(1) }), z.object({ a: inner })]);
    }
    let nested: Json = "x";
    for (let depth = 0; depth < 40; depth += 1) nested = { a: nested };
    expect(checkArguments(wide, nested)).toMatchObject({ isTooMuch: true });
  });

  it("The bound ends one check and no later one", () => {
    const schema = z.array(z.string());
    expect(() => parseCounted(schema, ["a", "b"], 2)).toThrow(ZodBoundError);
    expect(parseCounted(schema, ["a", "b"], 3).success).toBe(true);
    expect(schema.safeParse(many).success).toBe(true);
  });
});

describe("the verdict", () => {
  const schema = fc.letrec<{ schema: z.ZodType }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<z.ZodType>(z.string(), z.number(), z.literal("a"), z.string().min(2), z.null(), z.unknown()),
      tie("schema").map((inner) => z.array(inner)),
      tie("schema").map((inner) => inner.optional()),
      tie("schema").map((inner) => z.record(z.string(), inner)),
      tie("schema").map((inner) => z.lazy(() => inner)),
      fc.tuple(tie("schema"), tie("schema")).map(([a, b]) => z.object({ a, b: b.optional() })),
      fc.tuple(tie("schema"), tie("schema")).map((options) => z.union(options)),
      fc.tuple(tie("schema"), tie("schema")).map(([a, b]) => z.union([z.strictObject({ a }), z.object({ b })])),
      fc.tuple(tie("schema"), tie("schema")).map(([a, b]) => z.tuple([a, b])),
    ),
  })).schema;
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>("a", "ab", 1, null, true),
      // Enough wrong items that the rest is skipped.
      fc.tuple(tie("value"), fc.constantFrom(2, 15)).map(([item, times]) => Array<Json>(times).fill(item)),
      fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { maxKeys: 2 }) as fc.Arbitrary<Json>,
    ),
  })).value;

  it("A counted check has the verdict and the data of zod", () => {
    console.info(`SCHEMA_SEED ${seed}`);
    const verdicts = { true: 0, false: 0 };
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (one, values) => {
        for (const each of values) {
          const expected = one.safeParse(each);
          const counted = parseCounted(one, each);
          verdicts[`${expected.success}`] += 1;
          expect([counted.success, counted.data]).toEqual([expected.success, expected.data]);
        }
      }),
      { numRuns: 1500, seed },
    );
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(300);
  });
});
