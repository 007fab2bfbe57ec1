// The JSON of a structured answer, as it is read from the texts of the answer's blocks.

import { expect, it } from "vitest";

import { answerData } from "#core/model/answer-data.ts";

it.for([
  [['{"a":1}'], { a: 1 }],
  [["  [1, 2]\n"], [1, 2]],
  [['{"a"', ":1}"], { a: 1 }],
  [["Here it is.", '{"a":1}'], { a: 1 }],
  [['```json\n{"a":1}\n```'], { a: 1 }],
  [['```\n{"a":1}\n```\n'], { a: 1 }],
  [['``` json \n\n{"a":"```"}\n\n```'], { a: "```" }],
] as const)("A structured answer with the texts %j has the data %j", ([texts, data]) => {
  expect(answerData(texts)).toEqual(data);
});

it.for([
  [[]],
  [["Hello"]],
  [['{"a":1']],
  [['{"a":1} and more']],
  [['"text"']],
  [["12"]],
  [['{"a":1}', "Done."]],
  [["[".repeat(300) + "]".repeat(300)]],
  [["```"]],
  [["```\n```"]],
  [["```js\n[1]\n```"]],
] as const)("An answer with the texts %j has no data", ([texts]) => {
  expect(answerData(texts)).toBeUndefined();
});

it("An answer with an unclosed code block of a million line breaks has no data, and is parsed without backtracking", () => {
  expect(answerData([`\`\`\`${"\n".repeat(1_000_000)}x`])).toBeUndefined();
});
