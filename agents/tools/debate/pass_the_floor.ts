// A tool that steers the conversation: its caller's turn ends with this step, without another model call.

import { defineTool } from "threadhold";

export default defineTool("Give the floor to your opponent, after you said something.", async (state) => {
  const { execution } = state;
  execution?.forceTurn(execution.currentSide === "a" ? "b" : "a");
  return { status: "success", result: "The floor is theirs." };
});
