// Runs that began in any order, found again from their rows.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { noProgress } from "#core/record/blank-run.ts";
import type { ExecutedRun, RunRecord } from "#core/record/run-record.ts";
import { nextStarted, runsByStart, searchRunsBack, searchRunsOn, startOf } from "#thread/replay/replay.ts";
import { beginOrder } from "#thread/run/write-run.ts";

import { idOf, runRecord } from "../store/records.ts";
import { createMemoryThreadStore } from "../support/memory-store/memory-thread-store.ts";

/** Admissions, and starts of runs that each take one of the queued inputs. */
const history = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant("admit" as const) },
    { weight: 2, arbitrary: fc.nat({ max: 9 }) },
    { weight: 1, arbitrary: fc.constant("drop" as const) },
  ),
  { maxLength: 150 },
);

/** The rows as the driver stores them, and the runs in the order in which they began. */
function played(moves: readonly (number | "admit" | "drop")[]) {
  const store = createMemoryThreadStore();
  const begun: RunRecord[] = [];
  let queue: { run_ids: string[]; overtaker?: string } = { run_ids: [] };
  let seq = 0;
  let admitted = 0;
  const event = (type: "queue_changed" | "run_start") => ({ seq: (seq += 1), at: 0, type });
  for (const move of moves) {
    if (move === "admit") {
      admitted += 1;
      store.insertRun(runRecord(admitted, { id: idOf(admitted), events: [event("queue_changed")] }));
      queue = { ...queue, run_ids: [...queue.run_ids, idOf(admitted)] };
      continue;
    }
    const id = move === "drop" ? queue.run_ids[0] : queue.run_ids[move % Math.max(1, queue.run_ids.length)];
    const run = id === undefined ? null : store.run(id);
    if (run === null) continue;
    queue = { ...queue, run_ids: queue.run_ids.filter((other) => other !== id) };
    if (move === "drop") continue;
    const noted = beginOrder(queue, run.id);
    queue = { ...queue, ...noted.queue };
    if (run.status !== "queued") throw new Error("A run of the queue is queued.");
    const events = [...run.events, event("run_start")];
    const progress = noProgress();
    const started: ExecutedRun = {
      ...run,
      ...noted.run,
      status: "running",
      started_at: 1,
      queued: null,
      progress,
      events,
    };
    store.updateRun(started);
    begun.push(started);
  }
  return { store, begun, last: seq };
}

const ids = (runs: Iterable<RunRecord>) => [...runs].map(({ id }) => id);

describe("runs that began in any order", () => {
  it("Runs are found in the order in which they began, from any event number, backwards and forwards", () => {
    fc.assert(
      fc.property(history, (moves) => {
        const { store, begun, last } = played(moves);
        expect(ids(runsByStart(store, undefined))).toEqual(ids(begun));
        let from: string | undefined;
        for (let after = 1; after <= last; after += 1) {
          const before = begun.filter((run) => startOf(run) <= after);
          const behind = begun.filter((run) => startOf(run) > after);
          const back = searchRunsBack(store, after);
          const on = searchRunsOn(store, from, after);
          from = on.from;
          for (const found of [back, on]) {
            expect(found.last?.id).toBe(before.at(-1)?.id);
            expect(nextStarted(store, found.from, after)?.id).toBe(behind[0]?.id);
            const emitted = [before.at(-1), ...behind].flatMap((run) => run?.id ?? []);
            expect(emitted.filter((id) => id < (found.from ?? ""))).toEqual([]);
          }
          expect(back.newest).toBe(
            before
              .map(({ id }) => id)
              .sort()
              .at(-1),
          );
        }
      }),
    );
  });
});
