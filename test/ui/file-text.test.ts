// Text files: which bytes are text, their line ends, their languages, the form in which JSON is shown, and the Tab key of the editor.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { indent } from "#playground/files/edit/indent.ts";
import { kindOf, languageOf } from "#playground/files/preview/file-kind.ts";
import { lineChunks } from "#playground/files/preview/line-chunks.ts";
import { prettyJson } from "#playground/files/preview/pretty-json.ts";
import { endsOf, fieldText, fileText, textOf } from "#playground/files/preview/text-bytes.ts";

const encoder = new TextEncoder();

describe("texts of files", () => {
  it("A file that is read in two parts is decoded to the same text, also if the parts split a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).map((text) => text.toWellFormed().replaceAll("\0", "")),
        fc.nat(),
        (text, at) => {
          const bytes = encoder.encode(text);
          const cut = at % (bytes.length + 1);
          expect(textOf([bytes.subarray(0, cut), bytes.subarray(cut)], true)).toBe(text);
        },
      ),
    );
  });

  it("A long file is split into blocks with consecutive line numbers, which join to the text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "bc", "\n", "\n\n", "\r\n")),
        fc.integer({ min: 1, max: 5 }),
        (parts, size) => {
          const text = parts.join("");
          const chunks = lineChunks(text, size);
          expect(chunks.map((chunk) => chunk.text).join("")).toBe(text);
          let next = 1;
          for (const chunk of chunks) {
            expect(chunk.first).toBe(next);
            next += chunk.lines;
          }
          expect(next - 1).toBe(Math.max(1, text.replace(/\n$/, "").split("\n").length));
        },
      ),
    );
  });

  it("A file with invalid UTF-8 or a zero byte is not shown as text, and an incomplete character at the end of a part is accepted", () => {
    const cut = encoder.encode("ü").subarray(0, 1);
    expect([
      textOf([new Uint8Array([0xff])], true),
      textOf([encoder.encode("a\0b")], true),
      textOf([cut], true),
    ]).toEqual([null, null, null]);
    expect([textOf([cut], false), textOf([], true)]).toEqual(["", ""]);
    expect(textOf([encoder.encode("\uFEFFa")], true)).toBe("\uFEFFa");
  });

  it("A file that is saved without changes keeps its line ends", () => {
    for (const [text, ends] of [
      ["a\nb", "lf"],
      ["a\r\nb\r\n", "crlf"],
      ["", "lf"],
    ] as const) {
      expect([endsOf(text), fileText(fieldText(text), endsOf(text))]).toEqual([ends, text]);
    }
    expect([endsOf("a\r\nb\n"), endsOf("a\rb")]).toEqual(["mixed", "mixed"]);
  });

  it.each([
    ["text/markdown; charset=utf-8", "a.md", "markdown"],
    ["text/plain", "a.md", "markdown"],
    ["text/plain", "a.json", "json"],
    ["application/problem+json", "a", "json"],
    ["image/png", "a.png", "picture"],
    ["image/svg+xml", "a.svg", "drawing"],
    ["text/html", "a.html", "text"],
    ["application/xhtml+xml", "a.xhtml", "text"],
    ["video/mp2t", "a.ts", "text"],
    ["video/mp4", "a.mp4", "video"],
    ["audio/mpeg", "a.mp3", "audio"],
    ["application/pdf", "a.pdf", "pdf"],
    ["application/octet-stream", "Makefile", "text"],
    ["application/zip", "a.zip", "bytes"],
    ["image/tiff", "a.tiff", "bytes"],
  ])("A file of the type %s called %s is shown as %s", (mimeType, name, kind) => {
    expect(kindOf({ mimeType, name })).toBe(kind);
  });

  it("The ending of a file's name decides in which language the file is highlighted, and an unknown ending has no language", () => {
    expect(["a.tsx", "a.YML", "a.constructor", "py", "a.txt"].map(languageOf)).toEqual([
      "typescript",
      "yaml",
      null,
      null,
      null,
    ]);
  });

  it("A JSON file is shown indented, unless that would change a number", () => {
    expect(prettyJson('{"a":[1.5]}')).toEqual({ valid: true, text: '{\n  "a": [\n    1.5\n  ]\n}' });
    expect(prettyJson("{")).toMatchObject({ valid: false });
    expect(prettyJson("[12345678901234567890]")).toEqual({
      valid: false,
      why: "A number in it is too large to be shown exactly.",
    });
  });

  it("In the file editor, Tab indents to the next stop or all selected lines, and Shift+Tab removes an indentation", () => {
    const typed = (text: string, range: [number, number], out = false): string | null => {
      const change = indent(text, range, out);
      return change === null ? null : text.slice(0, change.from) + change.insert + text.slice(change.to);
    };
    expect([typed("ab", [1, 1]), typed("ab", [2, 2])]).toEqual(["a b", "ab  "]);
    expect(typed("a\n\nb\nc", [0, 4])).toBe("  a\n\n  b\nc");
    expect(typed("x\n  a\n\tb\n c", [3, 11], true)).toBe("x\na\nb\nc");
    expect(typed("a", [1, 1], true)).toBe(null);
    expect(indent("    a", [3, 3], true)?.select[0]).toBe(1);
  });
});
