// Arguments that a model wrote: parsed JSON if they are within the bounds, else the unchanged text.

import { expect, it } from "vitest";

import { parseArguments } from "#core/model/answer.ts";

it.each([
  ["nesting", `{"a":${"[".repeat(9999)}${"]".repeat(9999)}}`],
  ["values", `{"a":[${"1,".repeat(600_000)}1]}`],
])("HTTP32 A model's arguments stay text and are invalid if they exceed the bound of %s", (_bound, text) => {
  expect(parseArguments(text)).toEqual({ arguments: text, invalid: true });
  expect(parseArguments('{"a":[1]}')).toEqual({ arguments: { a: [1] } });
});
