// The notes of the runs that this page has seen, each behind the message that was last then.

import { useEffect, useState } from "react";

import type { ThreadHandle } from "#client/index.ts";

import type { PlacedNote } from "./rows.ts";
import { noteOf } from "./run-note.ts";

const mostNotes = 200;

/** The notes, in the order in which they were told. */
export function useRunNotes(handle: ThreadHandle): readonly PlacedNote[] {
  const [notes, setNotes] = useState<readonly PlacedNote[]>([]);
  useEffect(() => {
    const types = ["model_retry", "model_fallback", "message_retracted", "agent_handoff", "run_end", "error"] as const;
    const leaves = types.map((type) =>
      handle.on(type, (event) => {
        const note = noteOf(event);
        if (note === null) return;
        // An answer that is taken back is gone from the list: the note stands behind what was before it.
        const gone = event.type === "message_retracted" ? event.message_id : undefined;
        const last = handle.state.messages.findLast(({ id, streaming }) => id !== gone && !streaming);
        setNotes((before) => [...before, { after: last?.id ?? null, note }].slice(-mostNotes));
      }),
    );
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle]);
  return notes;
}
