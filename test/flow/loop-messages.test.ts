// The messages of a loop's steps, which are adapted step by step, compared with those of a whole list.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import { repair } from "#core/request/repair.ts";
import { isSendable, modelMessage } from "#core/request/request-messages.ts";
import { fromPerspective, LoopMessages } from "#flow/request/history.ts";
import type { Viewer } from "#flow/request/history.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { messageRecord } from "../store/records.ts";

const seed = Date.now() % 2 ** 31;
const runs = { numRuns: 1000, seed };

const single: AnyAgentDefinition = { name: "one", sideA: { prompt: "p" } };
const dual: AnyAgentDefinition = {
  name: "two",
  type: "dual_ai",
  sideA: { prompt: "p" },
  sideB: { prompt: "p", stopTool: "it" },
};

const callId = fc.constantFrom("c1", "c2", "c3", "c4");
const text = fc.constantFrom("", " ", "Yes.", "No.").map((words): StoredPart => ({ type: "text", text: words }));
const call = callId.map((id): StoredPart => ({ type: "tool_call", id, name: "it", arguments: { status: "done" } }));
const side = fc.constantFrom("a" as const, "b" as const, null);
const metadata = fc.constantFrom({}, { from: "human" });

const added = fc.oneof(
  fc.record({ role: fc.constant("user" as const), parts: fc.array(text, { maxLength: 2 }), side, metadata }),
  fc.record({
    role: fc.constant("assistant" as const),
    parts: fc.array(fc.oneof(text, call), { maxLength: 3 }),
    side,
    depth: fc.constantFrom(0, 0, 1),
  }),
  fc.record({
    role: fc.constant("tool" as const),
    tool_call_id: callId,
    side,
    status: fc.constantFrom("complete" as const, "complete" as const, "started" as const),
    result: fc.constant({ status: "success" as const, result: "Found." }),
  }),
  fc.record({ role: fc.constantFrom("system" as const, "extension" as const) }),
  fc.record({
    role: fc.constant("user" as const),
    strategy: fc.constant({ name: "react", phase: null }),
    side: fc.constant(null),
  }),
);

/** What happens between two steps: messages are added, one changes or is deleted, another side takes the step, or the agent changes. */
const change = fc.record({
  added: fc.array(added, { maxLength: 4 }),
  changed: fc.option(fc.nat(30), { freq: 6 }),
  deleted: fc.option(fc.nat(30), { freq: 6 }),
  other: fc.boolean(),
  handedOff: fc.boolean(),
});

function whole(viewer: Viewer, records: readonly MessageRecord[]) {
  return repair(fromPerspective(viewer, records.filter(isSendable)).map(modelMessage));
}

it.each([
  ["one model", single, dual],
  ["two models", dual, single],
])(
  "In a conversation of %s, the messages that a loop updates from step to step equal those that are built from the whole list",
  (_, agent, another) => {
    console.info(`seed ${seed}`);
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const loop = new LoopMessages();
        let records: readonly MessageRecord[] = [];
        let number = 0;
        for (const { added: more, changed, deleted, other, handedOff } of changes) {
          const kept = records
            .map((record, at) => (at === changed ? { ...record, status: "complete" as const } : record))
            .filter((_, at) => at !== deleted);
          records = [...kept, ...more.map((fields) => messageRecord((number += 1), fields))];
          const viewer: Viewer = { side: other ? "b" : "a", agent: handedOff ? another : agent };
          expect(loop.of(viewer, records)).toEqual(whole(viewer, records));
        }
      }),
      runs,
    );
  },
);

it("A step of a loop does not convert the messages of the previous step again", () => {
  const loop = new LoopMessages();
  const viewer: Viewer = { side: "a", agent: single };
  const requested = [
    messageRecord(1),
    messageRecord(2, { role: "assistant", parts: [{ type: "text", text: "Yes." }] }),
  ];
  const first = loop.of(viewer, requested);
  const read: string[] = [];
  const watched = new Proxy(requested[0] as MessageRecord, {
    get: (record, name) => {
      read.push(String(name));
      return Reflect.get(record, name) as unknown;
    },
  });
  const before = [watched, ...requested.slice(1)];
  loop.of(viewer, before);
  expect(read).toContain("parts");
  read.length = 0;
  const second = loop.of(viewer, [...before, messageRecord(3)]);
  expect(read).toEqual([]);
  expect(second).toHaveLength(3);
  expect(second[1]).toBe(first[1]);
});
