// The text of an HTML page as Markdown: its title and its main content, without navigation, scripts and forms.

import { htmlToMarkdown } from "@mdream/js";

/** Elements that are no text of the page. */
const left = [
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

/** Converts a page. Links are absolute. A page without a main part is converted as a whole. */
export function pageText(html: string, address: string): string {
  let title = "";
  const convert = (isolateMain: boolean): string => {
    let head: boolean = false;
    const text = htmlToMarkdown(html, {
      origin: address,
      plugins: {
        isolateMain,
        filter: { exclude: left },
        frontmatter: (found) => {
          head = true;
          title = found["title"] ?? "";
        },
      },
    });
    // The converter also writes what it found in the head above the text.
    return (head ? text.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "") : text).trim();
  };
  const text = convert(true) || convert(false);
  return title === "" ? text : `Title: ${title}\n\n${text}`;
}
