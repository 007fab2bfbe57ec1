import { defineTool } from "threadhold";
import { z } from "zod";

import { readNotes } from "../lib/notes.ts";

export default defineTool("Read the notes of this conversation.", z.object({}), async (state) => {
  const notes = await readNotes(state);
  return notes === "" ? "There are no notes." : notes;
});
