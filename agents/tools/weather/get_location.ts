// Where the person is. Only their device knows, so the tool has no function: the run rests until the answer is posted.

import { defineRemoteTool } from "threadhold";
import { z } from "zod";

export default defineRemoteTool({
  description: "Ask the person's device where they are.",
  args: z.object({ precision: z.enum(["city", "exact"]).describe("How closely") }),
  // After this time without an answer the model reads that there is none, and goes on.
  deadlineMs: 10 * 60 * 1000,
});
