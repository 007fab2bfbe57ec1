// Markdown cut into blocks, so that an answer that grows is parsed at its end alone.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { blocksOf } from "#ui/markdown/blocks.ts";
import { safeAddress } from "#ui/markdown/safe-address.ts";

describe("blocks of markdown", () => {
  it("UI60 cuts between paragraphs, and not within lists, code, quotes or texts with references", () => {
    expect(blocksOf("one\n\ntwo\n\n## three")).toEqual(["one\n\n", "two\n\n", "## three"]);
    for (const whole of [
      "- a\n\n- b\n\n  more of b",
      "1. a\n\n2. b",
      "> a\n\n> b",
      "```\na\n\nb\n```",
      "~~~\n```\n\nb\n~~~",
      "````\n```\n\nb\n````",
      "```\nnever\n\nclosed",
      "see [x]\n\n[x]: https://example.com",
    ]) {
      expect(blocksOf(whole)).toEqual([whole]);
    }
  });

  it("UI60 is the text whatever it is, and what grows changes the last blocks alone", () => {
    const line = fc.constantFrom(
      "",
      "",
      "words",
      "- item",
      "  more",
      "```",
      "~~~",
      "> quote",
      "## head",
      "1. one",
      "    code",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), line, (lines, more) => {
        const text = lines.join("\n");
        const blocks = blocksOf(text);
        expect(blocks.join("")).toBe(text);
        const grown = blocksOf(`${text}\n${more}`);
        expect(grown.slice(0, blocks.length - 1)).toEqual(blocks.slice(0, -1));
      }),
    );
  });

  it("UI61 links lead to the web or to a mailbox, and nowhere else", () => {
    expect(safeAddress("https://example.com/a?b")).toBe("https://example.com/a?b");
    expect(safeAddress("mailto:a@example.com")).toBe("mailto:a@example.com");
    for (const address of [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:https://example.com/x",
      "/api/threads",
      "//example.com",
      "",
    ]) {
      expect([address, safeAddress(address)]).toEqual([address, ""]);
    }
  });
});
