// Which answer's count of tokens corrects the estimate of the next request.

import { expect, it } from "vitest";

import { earlierMessages } from "#flow/request/history.ts";
import { lastMeasured } from "#flow/request/measured-request.ts";
import { defineModel, definePrompt } from "#spec/index.ts";

import { messageRecord } from "../store/records.ts";

const model = defineModel({ name: "main", provider: "test", model: "m" });
const usage = { input: 90, output: 5, cache_read: 10, cache_write: 0, total_tokens: 105 };
const answered = { role: "assistant", run_id: "r1", side: "a", model: "main", usage } as const;
const called = [
  messageRecord(1, { run_id: "r1" }),
  messageRecord(2, { ...answered, step: 1, parts: [{ type: "tool_call", id: "c", name: "look", arguments: {} }] }),
  messageRecord(3, { run_id: "r1", role: "tool", side: "a", step: 1, tool_call_id: "c" }),
  messageRecord(4, { ...answered, step: 2 }),
];

function measuredOf(before: typeof called, includePastTools: boolean) {
  const prompt = definePrompt({
    name: "main",
    toolDescription: "",
    prompt: "",
    model: "main",
    includeChat: true,
    includePastTools,
  });
  const added = [messageRecord(9, { run_id: "r2" })];
  const included = [...earlierMessages(before, prompt, added), ...added];
  return lastMeasured({ stored: [...before, ...added], included }, [model], "a");
}

it("The reported tokens of an earlier run's last answer correct the estimate if the messages before it are sent unchanged", () => {
  expect(measuredOf(called, true)).toEqual({ messageId: called[3]?.id, tokens: 100 });
});

it("The reported tokens of an answer are not used for the estimate if calls before the answer are no longer sent", () => {
  expect(measuredOf(called, false)).toBeNull();
  expect(measuredOf(called.slice(0, 1).concat(messageRecord(4, { ...answered, step: 1 })), false)).not.toBeNull();
});

it("The reported tokens of an answer before a handoff are not used for the estimate, because the handoff changes the prompt", () => {
  const handoff = messageRecord(5, { run_id: "r1", role: "tool", side: "a", step: 2, handoff: "billing" });
  expect(measuredOf([...called, handoff], true)).toBeNull();
});

it("An answer of the other side, of a different model, or without a token count is not used for the estimate", () => {
  const last = (changes: object) => measuredOf([messageRecord(4, { ...answered, step: 1, ...changes })], true);
  expect(last({})).not.toBeNull();
  expect([last({ side: "b" }), last({ model: "spare" }), last({ usage: null })]).toEqual([null, null, null]);
});
