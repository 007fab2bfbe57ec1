// Copies of plain data, and the comparison with them.

import fc from "fast-check";
import { expect, it } from "vitest";

import { isUnchanged, plainCopy } from "#lib/plain-copy.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

it("Any data is unchanged compared with its copy, and two values are equal exactly if their JSON is, whatever the order of their keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(plainCopy(one)).toEqual(one);
      expect(isUnchanged(one, plainCopy(one))).toBe(true);
      expect(isUnchanged(one, other)).toBe(fc.stringify(sorted(one)) === fc.stringify(sorted(other)));
    }),
    { seed },
  );
});

it.each<[string, (data: Data) => void]>([
  ["text", (data) => (data.text = "b")],
  ["element", (data) => (data.list[1] = 3)],
  ["added element", (data) => data.list.push(3)],
  ["removed element", (data) => data.list.pop()],
  ["added field", (data) => (data.nested["b"] = undefined)],
  ["removed field", (data) => delete data.nested["a"]],
  ["renamed field without a value", (data) => (delete data.nested["a"], (data.nested["b"] = 1))],
  ["list in place of an object", (data) => ((data as { nested: unknown }).nested = [])],
])("A changed value differs from its copy: %s", (_, change) => {
  const data: Data = { text: "a", list: [1, 2], nested: { a: undefined } };
  const copy = plainCopy(data);
  change(data);
  expect(isUnchanged(data, copy)).toBe(false);
  expect(copy).toStrictEqual({ text: "a", list: [1, 2], nested: { a: undefined } });
});

it("A key that would set a prototype is a field of the copy", () => {
  const data = JSON.parse('{"__proto__":{"admin":true}}') as object;
  expect(Object.keys(plainCopy(data))).toEqual(["__proto__"]);
  expect(isUnchanged(data, plainCopy(data))).toBe(true);
});

interface Data {
  text: string;
  list: number[];
  nested: Record<string, unknown>;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .map(([key, field]) => [key, sorted(field)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .concat([["object", true]]);
}
