// The text of an HTML page as Markdown: its title and its main content, without navigation, scripts and forms.

import { htmlToMarkdown } from "@mdream/js";

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

/** Converts a page. Links become absolute. If the page has no main part, the whole page is converted. */
export function pageText(html: string, address: string): string {
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
  const text = convert(true) || convert(false);
  return title === "" ? text : `Title: ${title}\n\n${text}`;
}
