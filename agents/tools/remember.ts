// Stores a note in the thread as a message that user interfaces hide, and counts the notes.

import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Keep a note in this conversation, so that it can be recalled later.",
  z.object({ note: z.string().min(1).describe("The fact to keep, in one sentence") }),
  async (state, { note }) => {
    await state.injectMessage({
      role: "system",
      content: `Note: ${note}`,
      silent: true,
      metadata: { kind: "note" },
    });
    const { messages } = await state.getMessages({ includeSilent: true, limit: 1000 });
    const notes = messages.filter((message) => message.metadata?.["kind"] === "note");
    return `Kept. This conversation has ${notes.length} note(s).`;
  },
);
