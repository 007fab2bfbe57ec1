// The notes of a thread's runs: earlier ones, which are loaded after the thread is rendered, and new ones as they
// arrive.

import { useCallback, useEffect, useMemo, useState } from "react";
import type { ThreadEvent, ThreadHandle } from "threadhold/client";

import { compactionTypes, lastDrop, withCompactions } from "./context/compaction.ts";
import type { Compaction } from "./context/compaction.ts";
import { noteOf, notedTypes } from "./run-note.ts";
import type { RunNote } from "./run-note.ts";
import { noFiles, tracked } from "./written-files.ts";
import type { FileTrack } from "./written-files.ts";

const mostNotes = 500;
const readTypes = [...notedTypes, ...compactionTypes, "file_changed"] as const;

/** The notes as far as they are loaded. */
export interface RunNotes {
  /** In the order of their events. */
  notes: readonly RunNote[];
  files: FileTrack;
  /** Whether a request was compacted. */
  compacted: boolean;
  /** The last compaction that dropped messages; null if there is none. */
  drop: Compaction | null;
  error: Error | null;
  retry: () => void;
}

/** The notes. `ran`: the thread has had a run, so there may be notes. */
export function useRunNotes(handle: ThreadHandle, ran: boolean): RunNotes {
  const [notes, setNotes] = useState<readonly RunNote[]>([]);
  const [files, setFiles] = useState(noFiles);
  const [compactions, setCompactions] = useState<ReturnType<typeof withCompactions>>([]);
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const take = useCallback((events: readonly ThreadEvent[]) => {
    const added = events.flatMap((event) => noteOf(event) ?? []);
    if (added.length > 0) setNotes((before) => joined(before, added));
    setFiles((before) => tracked(before, events));
    setCompactions((before) => withCompactions(before, events));
  }, []);
  useEffect(() => {
    const leaves = readTypes.map((type) => handle.on(type, (event) => take([event])));
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle, take]);
  useEffect(() => {
    if (!ran) return undefined;
    const leave = new AbortController();
    const read = async (): Promise<void> => {
      const { signal } = leave;
      let batch: ThreadEvent[] = [];
      const takeBatch = (): void => {
        if (!signal.aborted) take(batch);
        batch = [];
      };
      // Events that arrive together are rendered together.
      for await (const event of handle.events({ after: 0, until: "idle", types: readTypes, signal }))
        if (batch.push(event) === 1) setTimeout(takeBatch);
    };
    setError(null);
    read().catch((thrown: unknown) => {
      if (!leave.signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
    return () => leave.abort();
  }, [handle, ran, take, tries]);
  const drop = useMemo(() => lastDrop(compactions), [compactions]);
  return { notes, files, compacted: compactions.length > 0, drop, error, retry: () => setTries(tries + 1) };
}

/** Each note once, sorted by number; a known note keeps its object. */
function joined(known: readonly RunNote[], added: readonly RunNote[]): readonly RunNote[] {
  const numbers = new Set(known.map(({ seq }) => seq));
  const fresh = added.filter(({ seq }) => !numbers.has(seq));
  if (fresh.length === 0) return known;
  return [...known, ...fresh].toSorted((one, other) => one.seq - other.seq).slice(-mostNotes);
}
