// The agent that answers the user.
import { defineAgent } from "threadhold";

export default defineAgent({
  name: "assistant",
  type: "ai_human",
  sideA: { prompt: "assistant", stopOnResponse: true },
});
