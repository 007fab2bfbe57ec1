import { defineAgent } from "threadhold";

export default defineAgent({
  name: "storekeeper",
  description: "Demo: an assistant that calls an HTTP API which an OpenAPI document describes. Needs no key.",
  starters: ["Order what is running out."],
  sideA: { label: "Storekeeper", prompt: "keep_stock", maxSteps: 10 },
});
