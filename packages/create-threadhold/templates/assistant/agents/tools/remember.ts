// Stores a note in a file of the thread. Files of a thread survive restarts and deploys, as its messages do.
import { defineTool } from "threadhold";
import { z } from "zod";

import { notesFile, readNotes } from "../lib/notes.ts";

export default defineTool(
  "Keep a note in this conversation.",
  z.object({ note: z.string().min(1).describe("The fact to keep, in one sentence") }),
  async (state, { note }) => {
    await state.writeFile(notesFile, `${await readNotes(state)}${note}\n`, "text/plain");
    return `I keep the note "${note}".`;
  },
);
