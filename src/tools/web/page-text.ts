// The text of an HTML page as Markdown: its title and its main content, without navigation, scripts and forms.

import { htmlToMarkdown } from "@mdream/js";

import { flatHtml } from "./flat-html.ts";

/** Elements whose text is left out. */
const excludedElements = [
  "nav",
  "footer",
  "aside",
  "form",
  "button",
  "select",
  "textarea",
  "iframe",
  "script",
  "style",
  "noscript",
];

/** The elements with which the converter recognises the main part of a page. A page without them has an empty main part. */
const beginOfMain = /<(?:main|h[1-6])[\s/>]/i;

/** The number of tags of a page that is converted as a whole after its main part was empty: together they take no longer than one page. */
const tagsAfterMain = 5_000;

/**
 * Converts a page. Links become absolute. If the page has no main part, the whole page is converted. If the conversion fails, only the tags
 * are removed.
 */
export function pageText(page: string, address: string): string {
  const flat = flatHtml(page);
  let title = "";
  const convert = (html: string, isolateMain: boolean): string => {
    let head: boolean = false;
    const text = htmlToMarkdown(html, {
      origin: address,
      plugins: {
        isolateMain,
        filter: { exclude: excludedElements },
        frontmatter: (found) => {
          head = true;
          title = found["title"] ?? "";
        },
      },
    });
    // The converter also writes the fields of the page's head before the text.
    return (head ? text.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "") : text).trim();
  };
  let text: string;
  try {
    text = beginOfMain.test(flat)
      ? convert(flat, true) || convert(flatHtml(flat, tagsAfterMain), false)
      : convert(flat, false);
  } catch {
    // The converter fails for some invalid pages, such as one with a row outside of a table.
    text = flat.replace(/<[^<>]*>/g, " ").trim();
  }
  return title === "" ? text : `Title: ${title}\n\n${text}`;
}
