// The loops of a session, found by their ids without reading the whole list, so that the time of an event does not grow with the session.
//
// A list of loops is never changed: each change makes another list. The lists of one session share an index, which only grows. Invariants: a
// loop whose id is not in the index is in none of its lists; a loop with another position in a list is searched there.

import type { LoopRecord } from "./loop-session.ts";

type Loops = readonly LoopRecord[];

interface LoopIndex {
  positions: Map<string, number>;
  /** The ids of the loops that other loops continue or ran by a call. */
  referenced: Set<string>;
}

const indexes = new WeakMap<Loops, LoopIndex>();

function indexOf(loops: Loops): LoopIndex {
  const known = indexes.get(loops);
  if (known !== undefined) return known;
  const index: LoopIndex = { positions: new Map(), referenced: new Set() };
  indexes.set(loops, index);
  for (const [at, record] of loops.entries()) addTo(index, record, at);
  return index;
}

function addTo({ positions, referenced }: LoopIndex, record: LoopRecord, at: number): void {
  positions.set(record.loop_id, at);
  if (record.parent_loop_id !== null) referenced.add(record.parent_loop_id);
  for (const { child_loop_id } of record.child_loop_refs) referenced.add(child_loop_id);
}

/** The position of a loop; -1 for an id that is not in the list. */
export function positionOf(loops: Loops, loopId: string): number {
  const at = indexOf(loops).positions.get(loopId);
  if (at === undefined || loops[at]?.loop_id === loopId) return at ?? -1;
  return loops.findIndex(({ loop_id }) => loop_id === loopId);
}

/** Whether loops of the list may refer to a loop. False is certain. */
export function mayReferTo(loops: Loops, loopId: string): boolean {
  return indexOf(loops).referenced.has(loopId);
}

/** The list with another record of the loop at a position, or with a loop more at its end. */
export function putAt(loops: Loops, at: number, record: LoopRecord): LoopRecord[] {
  const index = indexOf(loops);
  addTo(index, record, at);
  const next = [...loops];
  next[at] = record;
  indexes.set(next, index);
  return next;
}
