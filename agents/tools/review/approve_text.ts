import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Approve a text; this ends the review.",
  z.object({ text: z.string().min(1).describe("The text, word for word") }),
  async (_state, { text }) => ({ text }),
);
