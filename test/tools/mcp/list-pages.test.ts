// The bounds of all pages of a list together.

import { expect, it } from "vitest";

import { ListPages, responseBytes } from "#tools/mcp/response-bounds.ts";

const page = "x".repeat(responseBytes / 4);

/** Reads a page after the request for it. */
function readPage(pages: ListPages, cursor?: string): void {
  const isList = pages.sent({ id: 1, method: "tools/list", params: cursor === undefined ? {} : { cursor } });
  pages.messageMeter(isList).read(`"${page}"`.slice(2));
}

it("Pages of a list share their bounds, also if other requests are sent between them", () => {
  const pages = new ListPages();
  readPage(pages);
  const others = (at: number): void => {
    pages.messageMeter(pages.sent({ id: at, method: "tools/call", params: {} })).read(page);
    pages.sent({ method: "notifications/cancelled" });
  };
  for (const at of [1, 2, 3]) {
    others(at);
    if (at < 3) readPage(pages, `page ${at}`);
  }
  readPage(pages, "page 3");
  expect(() => readPage(pages, "page 4")).toThrow("in the pages of one list");
});

it("Another list has the whole bounds, and responses to other requests do not count for a list", () => {
  const pages = new ListPages();
  for (let list = 0; list < 3; list += 1) {
    readPage(pages);
    readPage(pages, "two");
    readPage(pages, "three");
    const isList = pages.sent({ id: 9, method: "tools/call", params: {} });
    for (let at = 0; at < 5; at += 1) pages.messageMeter(isList).read(page);
  }
});
