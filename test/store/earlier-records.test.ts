// Rows of schema 2, read as records of the present schema: one for each state of a run, and the thread's.

import { describe, expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { currentRun, currentThread } from "#store/thread/earlier-records.ts";
import type { EarlierRun, EarlierThread } from "#store/thread/earlier-records.ts";

import { endedRun, idOf, messageRecord, runRecord, threadRecord } from "./records.ts";

const readRun = (row: RunRecord | EarlierRun): RunRecord => currentRun(row);
const readThread = (row: ThreadRecord | EarlierThread): ThreadRecord => currentThread(row);

/** The fields that every run of schema 2 had, whatever its state. */
function earlierRun<C extends Partial<EarlierRun>>(changes: C): EarlierRun {
  const { progress: _, ...fields } = runRecord(1);
  return { ...fields, queued: null, resume_at: null, retry: null, context: {}, ...changes };
}

const limit = {
  id: "call_limit",
  reason: "max_steps",
  amount: "steps",
  allowed: 2,
  used: 2,
  deadline: 9_000_000,
} as const;
const retry = { step: 3, model: 1, attempt: 2 };
/** What the progress of a run has, under the same names in both schemas. */
const kept: Partial<EarlierRun> = {
  context: { received: true },
  nested_retries: { [idOf(7)]: { ...retry, at: 5_000_000 } },
  calls: [{ id: "call_1", name: "act", arguments: {}, tried: true }],
  chain: 2,
  begun_children: ["child"],
  grants: { child: { steps: 1, turns: null, tokens: null, duration_ms: null, cost: null } },
  driven_ms: 1200,
  turns: 1,
  paid: 0.5,
  raised: ["steps"],
  forced: { side: "b", at: idOf(8) },
  stop_asked: true,
};
const begun = { status: "running", started_at: 1_000_002 } as const;

describe("a run of schema 2", () => {
  it("The record of a queued run that an earlier schema stored is read with its input, which contains the queued calls, and without progress", () => {
    const queued = { message: messageRecord(1), when: "steer" } as const;
    const calls = [{ id: "call_1", name: "act", arguments: { key: "later" } }];
    expect(readRun(earlierRun({ queued }))).toStrictEqual({ ...runRecord(1), queued });
    expect(readRun(earlierRun({ queued, calls, chain: 3 }))).toStrictEqual({
      ...runRecord(1),
      queued: { ...queued, calls, chain: 3 },
    });
  });

  it("The record of a running run that an earlier schema stored is read with the run's state, and with the limit that it reached, in the field progress", () => {
    const plain = { suspension: null, reached_limit: null, retry: null, context: {} };
    expect(readRun(earlierRun(begun))).toStrictEqual({ ...runRecord(1), ...begun, queued: null, progress: plain });
    const row = earlierRun({ ...begun, ...kept, retry, at_limit: limit });
    const progress = { ...kept, retry, suspension: null, reached_limit: limit };
    expect(readRun(row)).toStrictEqual({ ...runRecord(1), ...begun, queued: null, progress });
  });

  it.each(["running", "awaiting_tool_execution"] as const)(
    "The record of a run that was suspended as %s, stored by an earlier schema, is read with its resume time and its limit in the field suspension",
    (status) => {
      for (const stored of [{}, { at_limit: null }, { at_limit: limit }]) {
        const row = earlierRun({ ...begun, ...kept, ...stored, status, retry, resume_at: 7_000_000 });
        const suspension = { resume_at: 7_000_000, limit: stored.at_limit ?? null };
        const progress = { ...kept, retry, suspension, reached_limit: null };
        expect(readRun(row)).toStrictEqual({ ...runRecord(1), ...begun, status, queued: null, progress });
      }
    },
  );

  it.each(["completed", "stopped", "limit", "error"] as const)(
    "The record of a run that ended as %s, stored by an earlier schema, is read without progress",
    (status) => {
      const { progress: _, ...ended } = endedRun(1, { text: "done", reason: "response", message_ids: [idOf(1)] });
      expect(readRun({ ...ended, status, resume_at: null, retry: null, context: { received: true } })).toStrictEqual({
        ...ended,
        status,
        progress: null,
      });
    },
  );

  it("The record of an input that joined another run, stored by an earlier schema, is read with that run's id and without progress", () => {
    const joined = { status: "completed", joined: idOf(9) } as const;
    expect(readRun(earlierRun(joined))).toStrictEqual({ ...runRecord(1), ...joined, queued: null, progress: null });
  });

  it("The record of a run that the current schema stored is read unchanged", () => {
    for (const run of [runRecord(1), endedRun(1)]) expect(readRun({ ...run })).toStrictEqual(run);
  });
});

describe("a thread of schema 2", () => {
  const { queue: _, background: __, ...fields } = threadRecord();
  const outbox = { dirty: true, runs: [idOf(1)] };

  it("The record of a thread that an earlier schema stored is read with its state in the fields queue and background", () => {
    const row = { ...fields, queue: [idOf(2), idOf(3)], steers: 1, held: true, overtaker: idOf(4), outbox };
    const outgoing: EarlierThread["outgoing"] = [{ type: "stop", thread_id: "child" }];
    const unclaimed = [{ path: "/attachments/a", etag: "tag" }];
    const unswept = { failures: 2, until: 8_000_000 };
    expect(readThread({ ...row, outgoing, unclaimed, unswept })).toStrictEqual({
      ...fields,
      queue: { run_ids: [idOf(2), idOf(3)], steering: 1, paused: true, overtaker: idOf(4) },
      background: {
        catalog: outbox,
        outbound: outgoing,
        attachments: unclaimed,
        sweep: { failures: 2, at: 8_000_000 },
      },
    });
  });

  it("The record of a thread that an earlier schema stored is read with its setup from the field that was named session, and absent fields stay absent", () => {
    const session = { id: "desk", agent: null, system_prompt: "Be brief.", tools: [], options: {} };
    const row = { ...fields, usage: zeroUsage, queue: [], held: false, unswept: null, outbox, session };
    expect(readThread(row)).toStrictEqual({
      ...fields,
      queue: { run_ids: [], steering: 0, paused: false },
      background: { catalog: outbox },
      setup: session,
    });
  });

  it("The record of a thread that the current schema stored is read unchanged", () => {
    expect(readThread({ ...threadRecord() })).toStrictEqual(threadRecord());
  });
});
