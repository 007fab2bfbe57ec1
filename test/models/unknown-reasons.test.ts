// Finish reasons that no provider documents: a complete answer is kept, and an answer that is not complete fails.

import { expect, it } from "vitest";

import { answerTo } from "./answer-to.ts";
import { bytesOf } from "./fixture-bytes.ts";

const chunk = (choice: object): string => `data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\n`;

it("ANSWER2 A complete answer with an unknown finish reason is kept, and the reason is in its detail", async () => {
  const call = { index: 0, id: "c1", type: "function", function: { name: "note", arguments: '{"a":1}' } };
  const half = { index: 0, id: "c1", type: "function", function: { name: "note", arguments: '{"a":' } };
  const read = (delta: object, reason: string) =>
    answerTo(
      "openai",
      chunk({ index: 0, delta, finish_reason: null }) + chunk({ index: 0, delta: {}, finish_reason: reason }),
    );
  const kept = { type: "finish", stop_reason: "stop", stop_detail: "eom_reached" };
  expect(await read({ content: "Hello." }, "eom_reached")).toMatchObject({ text: "Hello.", end: kept });
  expect(await read({ tool_calls: [call] }, "eom_reached")).toMatchObject({
    calls: [{ name: "note" }],
    end: { ...kept, stop_reason: "tool_calls" },
  });
  const failed = { type: "error", failure: { kind: "api", retryable: true } };
  expect(await read({ content: "Hello.", tool_calls: [half] }, "eom_reached")).toMatchObject({ end: failed });
  expect(await read({ content: "\u200b\n" }, "eom_reached")).toMatchObject({ end: failed });
  expect(await read({ content: "Hello." }, "network_error")).toMatchObject({ end: failed });
});

it.for([
  ["anthropic", '"stop_reason":"end_turn"', '"stop_reason":"eom_reached"'],
  ["google", '"finishReason":"STOP"', '"finishReason":"EOM_REACHED"'],
  ["openrouter", '"finish_reason":"stop"', '"finish_reason":"eom_reached"'],
] as const)(
  "ANSWER2 A complete answer of %s with an unknown finish reason is kept",
  async ([provider, known, other]) => {
    const sent = new TextDecoder().decode(await bytesOf(provider, "text"));
    expect(sent).toContain(known);
    const { text, end } = await answerTo(provider, sent.replace(known, other));
    expect([text, end]).toMatchObject(["Hello there, how can I help?", { type: "finish", stop_reason: "stop" }]);
    expect(end.type === "finish" ? end.stop_detail : "").toMatch(/eom_reached/i);
  },
);
