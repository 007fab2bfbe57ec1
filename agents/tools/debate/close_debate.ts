// The debate's end tool. An error result would let the session continue, so that the model can try again.

import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Close the debate for both sides.",
  z.object({ verdict: z.string().min(1).describe("What came of it, in one sentence") }),
  async (state, { verdict }) => {
    const turns = state.execution?.turnCount ?? 0;
    if (turns < 2) return { status: "error", error: "Both sides have to be heard first." };
    return { verdict, turns };
  },
);
