// Random arguments of every kind that Standard Agents allows: a zod schema, and a value that it accepts.

import fc from "fast-check";
import { z } from "zod";

/** A schema, and a value that a model could send for it. */
interface Node {
  schema: z.ZodType;
  value: unknown;
}

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
const number = fc.integer({ min: -1000, max: 1000 });

const leaves: fc.Arbitrary<Node>[] = [
  fc.string().map((value) => ({ schema: z.string(), value })),
  word.map((value) => ({
    schema: z
      .string()
      .min(1)
      .max(9)
      .regex(/^[a-z]+$/),
    value,
  })),
  fc.constant({ schema: z.email(), value: "ada@example.org" }),
  fc.constant({ schema: z.iso.datetime(), value: "2026-01-02T03:04:05Z" }),
  number.map((value) => ({ schema: z.number().min(-1000).max(1000), value })),
  number.map((value) => ({ schema: z.int(), value })),
  fc.boolean().map((value) => ({ schema: z.boolean(), value })),
  fc.constant({ schema: z.null(), value: null }),
  words.map((list) => ({ schema: z.enum(list as [string, ...string[]]), value: list[0] })),
  fc
    .uniqueArray(fc.oneof(word, number, fc.boolean(), fc.constant(null)), { minLength: 1, maxLength: 4 })
    .map((list) => ({ schema: z.literal(list), value: list.at(-1) })),
];

function nested(inner: fc.Arbitrary<Node>): fc.Arbitrary<Node>[] {
  return [
    inner.map(({ schema, value }) => ({ schema: schema.nullable(), value })),
    inner.map(({ schema }) => ({ schema: schema.nullable(), value: null })),
    inner.map(({ schema, value }) => ({ schema: schema.describe("words"), value })),
    inner.map(({ schema, value }) => ({ schema: z.array(schema), value: [value, value] })),
    fc.tuple(inner, inner).map(([one, other]) => ({ schema: z.union([one.schema, other.schema]), value: other.value })),
    fc.tuple(word, inner).map(([key, { schema, value }]) => ({
      schema: z.record(z.string(), schema),
      value: { [key]: value },
    })),
    object(inner),
  ];
}

/** An object with properties of every kind: required, optional, with a default, and with a default and a value. */
function object(inner: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  const manner = fc.constantFrom("required", "left out", "defaulted", "given");
  return fc.dictionary(word, fc.tuple(inner, manner), { maxKeys: 3 }).map((entries) => {
    const shape: Record<string, z.ZodType> = {};
    const value: Record<string, unknown> = {};
    for (const [name, [node, how]] of Object.entries(entries)) {
      const open = how === "defaulted" ? node.schema.default(node.value as never) : node.schema.optional();
      shape[name] = how === "required" ? node.schema : open;
      if (how === "required" || how === "given") value[name] = node.value;
    }
    return { schema: z.object(shape), value };
  });
}

/** Nodes with at most this many levels. */
function nodes(depth: number): fc.Arbitrary<Node> {
  return depth === 0 ? fc.oneof(...leaves) : fc.oneof(...leaves, ...nested(nodes(depth - 1)));
}

/** Arguments: an object at the top level. */
export function argumentObjects(depth: number): fc.Arbitrary<{ schema: z.ZodObject; value: object }> {
  return object(nodes(depth)) as fc.Arbitrary<{ schema: z.ZodObject; value: object }>;
}
