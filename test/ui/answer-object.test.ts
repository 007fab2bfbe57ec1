// Which answers the playground shows as data.

import { expect, it } from "vitest";

import { answerObject } from "#playground/conversation/answer-object.ts";

it("An answer that is a JSON object is shown as data, every other answer as text", () => {
  expect(answerObject('\n{"city":"Oslo","days":[1,2]}\n')).toEqual({ city: "Oslo", days: [1, 2] });
  for (const text of ["", "Hello", "{", '{"a":1', "{a}", '{"a":1} and {more}', '["a"]', "12", "{\\alpha}"]) {
    expect([text, answerObject(text)]).toEqual([text, undefined]);
  }
});
