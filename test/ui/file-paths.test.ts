// Paths of files in markdown, found by the plugin.

import { expect, it } from "vitest";

import { filePaths, pathOfAddress } from "#playground/markdown/file-paths.ts";

interface Tree {
  type: string;
  value?: string;
  url?: string;
  children?: Tree[];
}

/** The paths that become links in these children of a paragraph. */
function found(...children: Tree[]): (string | null)[] {
  const tree: Tree = { type: "root", children: [{ type: "paragraph", children }] };
  filePaths()(tree);
  const links = (node: Tree): Tree[] => [
    ...(node.type === "link" ? [node] : []),
    ...(node.children ?? []).flatMap(links),
  ];
  return links(tree).map(({ url }) => pathOfAddress(url));
}

const text = (value: string): Tree => ({ type: "text", value });

it("File paths in a message become links, in text and code, without the punctuation of the sentence", () => {
  expect(found(text("See /itinerary.md, or (/a/b-c_1.txt). /x"))).toEqual(["/itinerary.md", "/a/b-c_1.txt", "/x"]);
  expect(found({ type: "inlineCode", value: "/my plan.md" })).toEqual(["/my plan.md"]);
});

it("URLs, fractions, text with slashes and existing links in a message do not become links to files", () => {
  expect(found(text("https://a.example/b and/or 1/2 //host/x a@/b ./c"))).toEqual([]);
  expect(found({ type: "link", url: "https://a.example", children: [text("/itinerary.md")] })).toEqual([null]);
});

it("The text of a message does not change when its file paths become links", () => {
  const given = "In /a.md and /b.md.";
  const tree: Tree = { type: "root", children: [text(given)] };
  filePaths()(tree);
  const words = (node: Tree): string => node.value ?? (node.children ?? []).map(words).join("");
  expect(words(tree)).toBe(given);
});
