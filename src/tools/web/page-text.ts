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

/**
 * Converts a page. Links become absolute. If the page has no main part, the whole page is converted. If the conversion fails, only the tags
 * are removed.
 */
export function pageText(page: string, address: string): string {
  const html = flatHtml(page);
  let title = "";
  const convert = (isolateMain: boolean): string => {
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
    text = convert(true) || convert(false);
  } catch {
    // The converter fails for some invalid pages, such as one with a row outside of a table.
    text = html.replace(/<[^<>]*>/g, " ").trim();
  }
  return title === "" ? text : `Title: ${title}\n\n${text}`;
}
