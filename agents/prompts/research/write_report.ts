import { definePrompt } from "threadhold";

export default definePrompt({
  name: "write_report",
  toolDescription: "Writes a short report",
  model: "demo_research",
  includeChat: true,
  // The researchers of one step work at the same time.
  parallelToolCalls: true,
  tools: [
    {
      // Another prompt as a tool: it runs a loop of its own, and only its result is returned.
      name: "researcher",
      initUserMessageProperty: "question",
      includeToolCalls: false,
    },
  ],
  prompt:
    "You write short reports about Threadhold. You know nothing yourself: ask the researcher one question per topic, " +
    "all of them at once, and write the report from what comes back.",
});
