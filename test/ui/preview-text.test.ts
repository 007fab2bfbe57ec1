// The line of the list that shows a thread's last message.

import { expect, it } from "vitest";

import { previewText } from "#playground/threads/preview-text.ts";

it.each([
  ["## What it keeps\n\nA **thread** is `durable`.", "What it keeps A thread is durable."],
  ["- one\n- [two](https://example.com/a)\n1. *three*", "one two three"],
  ["```ts\nconst a = 1;\n```", "const a = 1;"],
  ["> quoted ~~gone~~", "quoted gone"],
  ["2 * 3 * 4 and snake_case_name and a - b", "2 * 3 * 4 and snake_case_name and a - b"],
  ["**never closed", "**never closed"],
])("The thread list shows the text of %j without Markdown signs", (message, shown) => {
  expect(previewText(message)).toBe(shown);
});

it("The preview of a long message is made from its beginning and has at most 160 characters", () => {
  expect(previewText("`*[".repeat(100_000)).length).toBeLessThanOrEqual(160);
  expect(previewText("word ".repeat(100_000))).toMatch(/^(?:word )+/);
});
