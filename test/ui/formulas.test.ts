// Formulas in markdown: which texts are formulas, and that no part of a text is lost.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { putFormulas, takeFormulas } from "#playground/markdown/formulas.ts";

const texts = (text: string): string[] =>
  (takeFormulas(text)?.formulas ?? []).map(({ tex, display }) => (display ? `[${tex}]` : tex));

describe("formulas of a text", () => {
  it("Formulas in a message are found between their delimiters, in a line or in a block", () => {
    expect(texts("so \\(x_1 + y\\) and $a^2$, $\\alpha$.")).toEqual(["x_1 + y", "a^2", "\\alpha"]);
    expect(texts("\\[\n\\int_0^1 f\n\\]\nand $$\nx | y\n$$")).toEqual(["[\\int_0^1 f]", "[x | y]"]);
    expect(texts("$f(x) = \\$5$ `code` $y$")).toEqual(["f(x) = \\$5", "y"]);
  });

  it.each([
    "it costs $5 or $10",
    "US$5 vs. US$6, $5-$10, $5/$6",
    "$HOME/$PATH and $HOME and $PATH",
    "from $5 and 10$ more",
    "$ x $",
    "\\$x$ and \\\\",
    "`$x$` and ``\\(x\\)` $y$``",
    "```\n$x$ \\(y\\)\n```\n~~~\n$$z$$\n~~~",
    "$$\nnever closed",
    "\\( \\) $$ $$",
    "\\[a\n\nb\\]",
    `$$${"x".repeat(3000)}$$`,
    "a mark \uE0000\uE001 of its own and $x$",
  ])("Amounts of money, code and unclosed delimiters are no formulas: %s", (text) => {
    expect(takeFormulas(text)).toBeNull();
  });

  it("A formula inside of code is shown as its source text", () => {
    const piece = fc.constantFrom(
      "$",
      "$$",
      "\\(",
      "\\)",
      "\\[",
      "\\]",
      "`",
      "``",
      "```",
      "\n",
      "\\",
      " ",
      "x",
      "1",
      "|",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join("");
        const taken = takeFormulas(text);
        if (taken === null) return;
        const code = { type: "code", value: taken.text };
        putFormulas(taken.formulas)({ type: "root", children: [code] });
        expect(code.value).toBe(text);
        const root = { type: "root", children: [{ type: "text", value: taken.text }] };
        putFormulas(taken.formulas)(root);
        const written = root.children.map((node) => node.value ?? (node as unknown as typeof root).children[0]?.value);
        expect(written.join("")).toBe(text);
      }),
    );
  });
});
