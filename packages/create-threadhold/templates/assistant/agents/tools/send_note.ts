// Posts a note to a webhook, such as one of a chat. Its address is a secret: the local server reads it from .dev.vars, and
// `npx wrangler secret put NOTES_WEBHOOK` sets it for a deployment.
import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Send a note to the team.",
  z.object({ note: z.string().min(1).max(2000).describe("The text of the note") }),
  async (state, { note }, call) => {
    const address = state.env.NOTES_WEBHOOK;
    if (!address) return { status: "error", error: "The secret NOTES_WEBHOOK is not set, so notes cannot be sent." };
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: note }),
      signal: call.signal,
    });
    if (!response.ok) return { status: "error", error: `The webhook answered with status ${response.status}.` };
    return { status: "success", result: "The note is sent." };
  },
  // A person approves each call, because it sends data to another system.
  { needsApproval: true },
);
