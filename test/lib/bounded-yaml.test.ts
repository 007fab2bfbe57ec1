// Bounds of YAML from outside: tokens and levels are counted while the parser reads, before it builds values.

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { parseBoundedYaml } from "#lib/untrusted/bounded-yaml.ts";

const bounds = { units: 20_000, tokens: 1000, depth: 20 };

describe("bounded YAML", () => {
  it.each([
    "",
    "a: 1\nb: [x, {y: z}]\n",
    "# a comment\n---\nopenapi: 3.1.0\ninfo:\n  title: |\n    long\n    text\n  folded: >-\n    a\n    b\n",
    "- &a {x: 1}\n- *a\n- !!str 5\n- 'it''s'\n- \"\\u0041\"\n",
    "a: 1\na: 2\n",
  ])("OUT23 A YAML document within its bounds has the values that the package parses (%j)", (text) => {
    expect(parseBoundedYaml(text, bounds)).toEqual(parse(text, { schema: "core", uniqueKeys: false }));
  });

  it.each([
    ["flat lists", "a: [" + "1,".repeat(2000), "more than 1000 tokens"],
    ["flat lists of maps", "a: [" + "{},".repeat(2000), "more than 1000 tokens"],
    ["open lists", "[".repeat(2000), "more than 20 levels deep"],
    ["open maps", "{".repeat(2000), "more than 20 levels deep"],
    ["nested indicators of lists", "- ".repeat(2000), "more than 20 levels deep"],
    ["nested indicators of keys", "? ".repeat(2000), "more than 20 levels deep"],
    ["nested values without keys", ": ".repeat(2000), "more than 20 levels deep"],
    [
      "growing indentation",
      Array.from({ length: 150 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
      "more than 20 levels deep",
    ],
    ["many keys", Array.from({ length: 1000 }, (_, at) => `k${at}: 1`).join("\n"), "more than 1000 tokens"],
    ["anchors", "- &a 1\n".repeat(1000), "more than 1000 tokens"],
    ["aliases", "- &a 1\n" + "- *a\n".repeat(1000), "more than 1000 tokens"],
    ["merge keys", "- <<: {}\n".repeat(1000), "more than 1000 tokens"],
    ["tags", "- !!str x\n".repeat(1000), "more than 1000 tokens"],
    ["comments", "# x\n".repeat(2000), "more than 1000 tokens"],
    ["empty lines", "\n".repeat(2000), "more than 1000 tokens"],
    ["directives", "%TAG ! x\n".repeat(1000), "more than 1000 tokens"],
    ["one long text", "x".repeat(30_000), "more than 20000 characters"],
    [
      "aliases that grow exponentially",
      "a: &a [x,x,x]\n" +
        Array.from(
          { length: 9 },
          (_, at) =>
            `${"bcdefghij"[at]}: &${"bcdefghij"[at]} [*${"abcdefghi"[at]},*${"abcdefghi"[at]},*${"abcdefghi"[at]},*${"abcdefghi"[at]}]`,
        ).join("\n"),
      "Excessive alias count",
    ],
    ["several documents", "--- 1\n".repeat(100), "several documents"],
    ["a mistake", "a: ]".repeat(100), "flow"],
    ["an unclosed text", `a: "${"\\\\x41".repeat(100)}`, "quote"],
  ])("OUT23 A YAML text with %s above a bound, or of no valid form, is refused", (_, text, problem) => {
    expect(() => parseBoundedYaml(text, bounds)).toThrow(problem);
  });
});
