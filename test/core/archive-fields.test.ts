// Every field of a record has an export policy, and the format has exactly the exported fields, at every depth. Fields are compared by
// their types: a field that is added anywhere is a type error here or in `export-policy.ts`.

import { describe, expect, it } from "vitest";

import type { ToolResult } from "#contract/call-result.ts";
import type { Part } from "#contract/content.ts";
import type { RunError } from "#contract/run.ts";
import type { Limits } from "#contract/run.ts";
import type { Usage } from "#contract/usage.ts";
import type { ArchivedLog, ArchivedMessage, ArchivedRun, ArchivedThread } from "#core/archive/archive-record.ts";
import {
  archivedLogSchema,
  archivedMessageSchema,
  archivedRunSchema,
  archivedThreadSchema,
} from "#core/archive/archive-record.ts";
import { carriedOf, logPolicies, messagePolicies, runPolicies, threadPolicies } from "#core/archive/export-policy.ts";
import type { Carried } from "#core/archive/export-policy.ts";
import type { QueueRecord, StoredPart } from "#core/record/record.ts";
import type { QueuedCall, QueuedInput } from "#core/record/run-record.ts";

/** `true` if two unions are equal; otherwise `never`, to which no value can be assigned. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
type Part_<Kind extends Part["type"], Of extends { type: string }> = keyof Extract<Of, { type: Kind }>;
type ArchivedPart = ArchivedMessage["parts"][number];
type Given<Field> = NonNullable<Field>;
/** Fields that no row has: bytes and addresses become files of the thread before a message is stored. */
type Inline = "data" | "url";

const same: true[] = [
  true satisfies Same<keyof ArchivedMessage, Carried<typeof messagePolicies>>,
  // The calls of a queued run are in its input.
  true satisfies Same<keyof ArchivedRun, Carried<typeof runPolicies> | "calls">,
  true satisfies Same<keyof ArchivedLog, Carried<typeof logPolicies>>,
  // The thread of an export has the fields of the queue at its top level, but for `steering`.
  true satisfies Same<keyof ArchivedThread, Carried<typeof threadPolicies> | "held" | "overtaker">,
  true satisfies Same<keyof QueueRecord, "run_ids" | "steering" | "paused" | "overtaker">,
  true satisfies Same<ArchivedPart["type"], StoredPart["type"]>,
  true satisfies Same<Part_<"text", ArchivedPart>, Part_<"text", StoredPart>>,
  true satisfies Same<Part_<"thinking", ArchivedPart>, Part_<"thinking", StoredPart>>,
  true satisfies Same<Part_<"tool_call", ArchivedPart>, Part_<"tool_call", StoredPart>>,
  true satisfies Same<Part_<"image", ArchivedPart>, Exclude<Part_<"image", StoredPart>, Inline>>,
  true satisfies Same<Part_<"file", ArchivedPart>, Exclude<Part_<"file", StoredPart>, Inline>>,
  true satisfies Same<keyof Given<ArchivedMessage["result"]>, keyof ToolResult>,
  true satisfies Same<keyof Given<ArchivedMessage["usage"]>, keyof Usage>,
  // An archive leaves these fields out, because they are valid only in the thread that received the input: how it was sent, its files, its
  // calls, the number of runs that it continues, and the trace of its request.
  true satisfies Same<
    keyof Given<ArchivedRun["queued"]>,
    Exclude<keyof QueuedInput, "when" | "files" | "calls" | "chain" | "trace">
  >,
  true satisfies Same<keyof Given<ArchivedRun["error"]>, keyof RunError>,
  true satisfies Same<keyof Given<ArchivedRun["limits"]>, keyof Limits>,
  // Calls of a waiting run were not tried yet.
  true satisfies Same<keyof Given<ArchivedRun["calls"]>[number], Exclude<keyof QueuedCall, "tried">>,
];

describe("the fields of an export", () => {
  it("The schema of each exported record has exactly the fields that the export policy selects", () => {
    expect(same).not.toContain(false);
    for (const [table, schema] of [
      [messagePolicies, archivedMessageSchema],
      [runPolicies, archivedRunSchema],
      [logPolicies, archivedLogSchema],
      [threadPolicies, archivedThreadSchema],
    ] as const) {
      const every = Object.fromEntries(Object.keys(table).map((field) => [field, 1]));
      const of = table === runPolicies ? ["calls"] : table === threadPolicies ? ["held", "overtaker"] : [];
      const fields = Object.keys(schema.shape).filter((field) => !of.includes(field));
      expect(Object.keys(carriedOf(every, table)).sort()).toEqual(fields.sort());
    }
  });
});
