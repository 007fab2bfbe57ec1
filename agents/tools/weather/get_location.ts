// Where the person is. Only their device knows, so the tool has no function: the run rests until the answer is posted.

import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Ask the person's device where they are.",
  z.object({ precision: z.enum(["city", "exact"]).describe("How closely") }),
  undefined,
  // Nobody answers in time: the model reads that, and goes on.
  { deadlineMs: 10 * 60 * 1000 },
);
