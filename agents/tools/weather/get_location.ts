// The user's location. Only the user's device knows it, so the tool has no function: the run is suspended until the result is posted.

import { defineRemoteTool } from "threadhold";
import { z } from "zod";

export default defineRemoteTool({
  description: "Ask the person's device where they are.",
  args: z.object({ precision: z.enum(["city", "exact"]).describe("How closely") }),
  // After this time without a result, the call becomes an error that the model reads, and the run resumes.
  deadlineMs: 10 * 60 * 1000,
});
