import { defineAgent } from "threadhold";

export default defineAgent({
  name: "notice_writer",
  description: "Demo: a writer whose own strategy checks each draft as JSON before the person sees it. Needs no key.",
  starters: ["The pool is closed today"],
  strategy: "checked_draft",
  sideA: { label: "Writer", prompt: "write_notice", maxSteps: 10 },
});
