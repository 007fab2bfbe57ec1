// GitHub's additions to Markdown: tables, strikethrough, task lists, footnotes and plain links. The package `remark-gfm` adds the same
// extensions and one that writes Markdown, which the page never does and which would be 8 KiB of its first load.

import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Options } from "react-markdown";

/** A plugin of react-markdown. */
type Plugin = Extract<NonNullable<Options["remarkPlugins"]>[number], (...args: never[]) => unknown>;

/** The lists of extensions that the parser reads. The packages of this page do not declare their types. */
interface ParserData {
  micromarkExtensions?: unknown[];
  fromMarkdownExtensions?: unknown[];
}

/** Lets the parser of a block accept these additions. */
export const gfmSyntax: Plugin = function addExtensions() {
  const data = this.data() as ParserData;
  (data.micromarkExtensions ??= []).push(gfm());
  (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown());
};
