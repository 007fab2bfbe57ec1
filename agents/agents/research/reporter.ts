import { defineAgent } from "threadhold";

export default defineAgent({
  name: "reporter",
  description: "Demo: a reporter that sends a researcher off with each question. Needs no key.",
  starters: ["Write about threads and tools"],
  sideA: { label: "Reporter", prompt: "write_report", maxSteps: 10 },
});
