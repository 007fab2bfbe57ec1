// Plays a librarian: looks for books by the words of the message, and reserves the first one.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { startCommand } from "../lib/demo-server.ts";
import { call, isOffered, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_librarian",
  provider: "test",
  model: "demo_librarian",
  inputPrice: 0,
  outputPrice: 0,
  script: (request: TestRequest): TestTurn => {
    const { messages } = request;
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
    const { name, content = "" } = results.at(-1) ?? {};
    if (!isOffered(request, "library__find_books") || content.includes("could not be reached")) {
      return say(`The catalogue of the library cannot be reached. Start its server: \`${startCommand}\``);
    }
    if (name === undefined) {
      const words = (messages[asked]?.content ?? "").match(/\p{L}{4,}/gu) ?? [];
      return call("library__find_books", {
        words: words.filter((word) => !/^(?:find|book|about)$/i.test(word)).join(" "),
      });
    }
    const title = /^(.+), by /.exec(content)?.[1];
    if (name === "library__find_books" && title !== undefined) {
      return call("library__reserve_book", { title }, `I found “${title}”.`);
    }
    return say(content);
  },
});
