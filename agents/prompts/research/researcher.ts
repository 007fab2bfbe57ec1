import { definePrompt } from "threadhold";
import { z } from "zod";

export default definePrompt({
  name: "researcher",
  toolDescription: "Finds the answer to one question in the handbook and gives it in a sentence.",
  model: "demo_research",
  // The arguments of a call, which are checked before the researcher starts.
  requiredSchema: z.object({ question: z.string().min(5).describe("One question, in a whole sentence") }),
  tools: ["search_handbook"],
  prompt: "You are a researcher. Search the handbook for the question and answer it in one sentence, without opinion.",
});
