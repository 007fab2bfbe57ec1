// Copies of plain data: as JSON restores them, and as structuredClone makes them.

import { describe, expect, it } from "vitest";

import { dataCopy, copyAsJson } from "#lib/text-sharing-copy.ts";

class Point {
  x = 1;
}

describe("a copy as JSON", () => {
  it.each<[string, unknown]>([
    ["plain data", { a: [1, "b", null, true, { c: [] }], d: {} }],
    ["a field without a value", { a: undefined, b: { c: undefined, d: 1 } }],
    ["an element without a value", { list: [1, undefined, 2] }],
    // oxlint-disable-next-line no-sparse-arrays -- the hole is the case
    ["a list with a hole", { list: [1, , 2] }],
    ["numbers that JSON has not", { list: [Number.NaN, Infinity, -0] }],
    ["a field with a negative zero", { zero: -0 }],
    ["a date", { at: new Date(5) }],
    ["an object of a class", { point: new Point() }],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 })],
    ["a function that converts", { a: { toJSON: () => "converted" } }],
    ["a field that is named as the prototype", JSON.parse('{"__proto__":{"a":1},"b":2}')],
    ["a function and a symbol", { call: () => 1, [Symbol("s")]: 1, s: Symbol("t"), list: [() => 1] }],
    ["a map", { map: new Map([[1, 2]]) }],
  ])("A copy as JSON of %s equals what JSON restores", (_name, value) => {
    const copy = copyAsJson(value);
    const restored: unknown = JSON.parse(JSON.stringify(value));
    expect(copy).toStrictEqual(restored);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(restored));
  });

  it("A copy as JSON shares no object with its original", () => {
    const original = { list: [{ a: 1 }], object: { b: { c: 1 } } };
    const copy = copyAsJson(original) as typeof original;
    original.list[0] = { a: 2 };
    original.object.b.c = 2;
    original.list.push({ a: 3 });
    expect(copy).toEqual({ list: [{ a: 1 }], object: { b: { c: 1 } } });
  });

  it("A field named __proto__ is copied as a field, and does not change the prototype of the copy", () => {
    const original = JSON.parse('{"__proto__": {"isAdmin": true}, "a": {"__proto__": 1}}') as object;
    for (const copy of [copyAsJson(original), dataCopy(original)]) {
      expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect((copy as Record<string, unknown>)["isAdmin"]).toBeUndefined();
    }
  });

  it("A copy as JSON throws for a value that JSON cannot represent, such as a circle or a bigint", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => copyAsJson(circle)).toThrow();
    expect(() => copyAsJson({ a: 1n })).toThrow(TypeError);
  });
});

describe("a copy of data", () => {
  it("A copy of data keeps values that JSON cannot represent, such as dates and maps", () => {
    const original = { at: new Date(5), list: [1, undefined], map: new Map([[1, 2]]) };
    const copy = dataCopy(original);
    expect(copy).toStrictEqual(original);
    expect(copy.at).not.toBe(original.at);
  });

  it("A copy of data shares no object with its original", () => {
    const original = [{ a: { b: 1 } }];
    const copy = dataCopy(original);
    (original[0] as { a: { b: number } }).a.b = 2;
    expect(copy).toEqual([{ a: { b: 1 } }]);
  });
});
