// Plays a storekeeper: lists the items, and orders ten of the item with the smallest stock.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { startCommand } from "../lib/demo-server.ts";
import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_storekeeper",
  provider: "test",
  model: "demo_storekeeper",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages }: TestRequest): TestTurn => {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const results = messages.slice(asked + 1).filter(({ role }) => role === "tool");
    const { name, content = "" } = results.at(-1) ?? {};
    if (name === undefined) return call("stock__listItems", {});
    const body = /^\[.*\]$|^\{.*\}$/m.exec(content)?.[0];
    if (body === undefined) return say(`The stock cannot be read. Start its server: \`${startCommand}\``);
    if (name === "stock__listItems") {
      const items = JSON.parse(body) as { id: number; name: string; left: number }[];
      const [scarce] = items.toSorted((one, other) => one.left - other.left);
      if (scarce === undefined) return say("The stock has no items.");
      const { id: item, name: what, left } = scarce;
      return call("stock__orderItem", { body: { item, count: 10 } }, `Of the item “${what}” only ${left} are left.`);
    }
    const { item, count, arrives } = JSON.parse(body) as { item: string; count: number; arrives: string };
    return say(`I ordered ${count} of the item “${item}”. They arrive on ${arrives}.`);
  },
});
