// Any list of messages, repaired into one that providers accept.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { repair } from "#core/request/repair.ts";
import { checkTranscript } from "#models/provider/test/transcript-check.ts";

import { broken, transcript } from "./support/transcript.ts";

const seed = Date.now() % 2 ** 31;
const runs = { numRuns: 500, seed };

function message(role: ModelMessage["role"], changes: Partial<ModelMessage> = {}): ModelMessage {
  return { id: role, role, parts: [], name: null, tool_call_id: null, result: null, ...changes };
}

function text(words: string): StoredPart {
  return { type: "text", text: words };
}

const call = (id: string): StoredPart => ({ type: "tool_call", id, name: "it", arguments: {} });
const resultOf = (id: string, result: string): ModelMessage =>
  message("tool", { tool_call_id: id, name: "it", parts: [text(result)], result: { status: "success", result } });

it("A transcript of any kind is repaired to the form that providers accept", () => {
  console.info(`seed ${seed}`);
  fc.assert(
    fc.property(broken, (messages) => {
      const repaired = repair(messages);
      expect(repaired.length === 0 ? null : checkTranscript(repaired)).toBeNull();
    }),
    runs,
  );
});

it("A repair of a well-formed transcript returns it unchanged, with the same objects", () => {
  fc.assert(
    fc.property(transcript, (messages) => {
      const repaired = repair(messages);
      expect(repaired).toHaveLength(messages.length);
      repaired.forEach((one, at) => expect(one).toBe(messages[at]));
    }),
    runs,
  );
});

it("A repair of a repaired transcript changes nothing, and a repair does not change its input", () => {
  fc.assert(
    fc.property(broken, (messages) => {
      const before = structuredClone(messages);
      const once = repair(messages);
      expect(repair(once)).toEqual(once);
      expect(messages).toEqual(before);
    }),
    runs,
  );
});

it("A repaired transcript keeps every text of the original", () => {
  fc.assert(
    fc.property(transcript, fc.nat(40), (messages, length) => {
      const cut = messages.slice(0, length);
      const said = (list: readonly ModelMessage[]) =>
        list.flatMap(({ role, parts }) =>
          role === "tool" ? [] : parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
        );
      expect(said(repair(cut))).toEqual(said(cut));
    }),
    runs,
  );
});

it("A repair of a transcript gives a call without a result an error result, and moves a result next to its call", () => {
  const requested = message("assistant", { parts: [call("a"), call("b")] });
  const repaired = repair([message("user", { parts: [text("?")] }), resultOf("b", "B"), requested]);
  expect(repaired.map(({ role, tool_call_id, result }) => [tool_call_id ?? role, result?.status])).toEqual([
    ["user", undefined],
    ["assistant", undefined],
    ["a", "error"],
    ["b", "success"],
  ]);
  expect(repaired[2]?.result?.error).toContain("interrupted or removed");
});

it("A repair of a transcript keeps one of two calls with the same id, in one message or two", () => {
  const twice = message("assistant", { parts: [call("a"), call("a")] });
  const again = message("assistant", { parts: [text("again"), call("a")] });
  const repaired = repair([message("user", { parts: [text("?")] }), twice, resultOf("a", "A"), again]);
  expect(repaired.map(({ parts }) => parts.map((part) => part.type))).toEqual([
    ["text"],
    ["tool_call"],
    ["text"],
    ["text"],
  ]);
});

it("A repair of a transcript drops an answer of thinking alone, and joins consecutive answers into one that names all of them", () => {
  const thought: StoredPart = { type: "thinking", thinking: "hm", provider_data: { provider: "p", data: {} } };
  const first = message("assistant", { id: "1", parts: [text("One.")] });
  const second = message("assistant", { id: "2", parts: [thought, text("Two.")] });
  const third = message("assistant", { id: "3", parts: [text("Three.")] });
  const user = message("user", { parts: [text("?")] });
  const repaired = repair([user, message("assistant", { parts: [thought] }), first, second, third]);
  expect(repaired).toMatchObject([
    { role: "user" },
    { id: "1", joined: ["2", "3"], parts: [text("One."), thought, text("Two."), text("Three.")] },
  ]);
});
