import { defineAgent } from "threadhold";

export default defineAgent({
  name: "librarian",
  description: "Demo: an assistant with the tools of an MCP server on this machine. Needs no key.",
  starters: ["Find a book about threads."],
  sideA: { label: "Librarian", prompt: "lend_books", maxSteps: 10 },
});
