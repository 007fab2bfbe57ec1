// Plays a coder: looks for the price list, writes it if it is missing, raises a price in it, and shows the difference.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_coder",
  provider: "test",
  model: "demo_coder",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages }: TestRequest): TestTurn => {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
    const price = Number(/coffee (\d+)/.exec(results[0]?.content ?? "")?.[1] ?? 3);
    const { name, content = "" } = results.at(-1) ?? {};
    switch (name) {
      case undefined:
        return call("search", { pattern: "^coffee" }, "Let me look for the price.");
      case "search":
        if (content.startsWith("No matches")) {
          return call("write_file", { path: "prices.txt", content: "tea 2\ncoffee 3\n" }, "There is no list yet.");
        }
        return raise(price);
      case "write_file":
        return raise(price);
      default:
        return say(`The price is raised:\n\n\`\`\`diff\n-coffee ${price}\n+coffee ${price + 1}\n\`\`\``);
    }
  },
});

function raise(price: number): TestTurn {
  return call("edit_file", { path: "prices.txt", old_text: `coffee ${price}`, new_text: `coffee ${price + 1}` });
}
