// The agent that answers the user.
import { defineAgent } from "threadhold";

export default defineAgent({
  name: "assistant",
  sideA: { prompt: "assistant", maxSteps: 20 },
});
