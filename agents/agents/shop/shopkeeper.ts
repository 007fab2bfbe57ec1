// An agent whose tools read a D1 database and a KV namespace of the Worker.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "shopkeeper",
  description: "Demo: a shop whose tools read a database and a KV namespace. Needs no key.",
  starters: ["What does the kettle cost?", "When are you open?"],
  sideA: { prompt: "shop_rules" },
});
