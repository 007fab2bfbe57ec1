// A tool that ends its caller's turn with this step, without another model request.

import { defineTool } from "threadhold";

export default defineTool("Give the floor to your opponent, after you said something.", async (state) => {
  const { execution } = state;
  execution?.forceTurn(execution.currentSide === "a" ? "b" : "a");
  return "The floor is theirs.";
});
