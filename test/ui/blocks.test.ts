// Markdown divided into blocks, so that only the end of a growing answer is parsed again.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { blocksOf } from "#playground/markdown/blocks.ts";
import { safeAddress } from "#playground/markdown/safe-address.ts";
import { isHardBlock, isLongText } from "#playground/markdown/too-much.ts";

describe("blocks of markdown", () => {
  it("The Markdown of a message is split into blocks between paragraphs, and not within lists, code, quotes or texts with references", () => {
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

  it("The Markdown blocks of any text join to the text, and a growing text changes only the last blocks", () => {
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

  it("A link in a message leads only to the web or to a mailbox", () => {
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

describe("Markdown that is slow to render", () => {
  it("Markdown blocks that are long or deeply nested, and long texts, are shown as plain text, but a block of code may be long", () => {
    const code = `Here it is:\n\`\`\`ts\n${"const a = [1];\n".repeat(2000)}\`\`\`\n`;
    for (const hard of ["*a_ ".repeat(4000), ">".repeat(50), "- ".repeat(50), "1. ".repeat(50), `<p>\n${code}`])
      expect(isHardBlock(hard)).toBe(true);
    for (const easy of [code, "- a\n".repeat(1000), "> > > three", "---", "", `${"word ".repeat(2000)}`])
      expect(isHardBlock(easy)).toBe(false);
    expect(isLongText("a\n\n".repeat(50_000))).toBe(false);
    expect(isLongText("a\n\n".repeat(70_000))).toBe(true);
  });
});
