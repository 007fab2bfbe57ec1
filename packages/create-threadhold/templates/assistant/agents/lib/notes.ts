// Files in agents/lib are shared code, not definitions.
import type { ThreadState } from "threadhold";

export const notesFile = "/notes.txt";

/** The notes, one in each line; empty if there are none. */
export async function readNotes(state: ThreadState): Promise<string> {
  const file = await state.readFile(notesFile);
  return file === null ? "" : new TextDecoder().decode(file);
}
