// The rules that every provider has for a transcript, as the test provider checks them.

import { expect, it } from "vitest";

import type { ModelMessage } from "#core/ports/model-port.ts";
import { checkTranscript } from "#models/provider/test/transcript-check.ts";

import { callAndResult, collect, message, model, request, serverPort, user } from "./ask-model.ts";

const [call, result] = callAndResult("call_1") as [ModelMessage, ModelMessage];
const [otherCall, otherResult] = callAndResult("call_2") as [ModelMessage, ModelMessage];
const said = message("assistant", { parts: [{ type: "text", text: "Hello" }] });
const both = message("assistant", { parts: [...call.parts, ...otherCall.parts] });
const thought = message("assistant", { parts: [{ type: "thinking", thinking: "hm" }] });
const system = message("system", { parts: [{ type: "text", text: "Note" }] });

it.for([
  ["a question", [user("Hi")]],
  ["an answer and another question", [user("Hi"), said, user("And?")]],
  ["a call with its result", [user("Hi"), call, result]],
  ["results of parallel calls in any order", [user("Hi"), both, otherResult, result]],
  ["two users in a row", [user("Hi"), user("Also")]],
  ["call after call", [user("Hi"), call, result, otherCall, otherResult, said, user("Bye")]],
  ["system messages", [system, user("Hi"), system, said, user("And?")]],
] as const)("The check of transcripts accepts a transcript with %s", ([, messages]) => {
  expect(checkTranscript(messages)).toBeNull();
});

it.for([
  ["no message", [], "empty"],
  ["a call without its result", [user("Hi"), call], "lacks its result"],
  ["a call answered too late", [user("Hi"), call, user("?"), result], "stands between"],
  ["a call half answered", [user("Hi"), both, result, said], "stands between"],
  ["a result without its call", [user("Hi"), result], "answers no call"],
  ["a result twice", [user("Hi"), call, result, result], "comes twice"],
  ["a result of nothing", [user("Hi"), call, { ...result, tool_call_id: null }], "names no call"],
  ["a result that is not there", [user("Hi"), call, { ...result, result: null }], "carries no result"],
  [
    "an id twice in one message",
    [user("Hi"), message("assistant", { parts: [...call.parts, ...call.parts] })],
    "used twice",
  ],
  ["an id twice in the transcript", [user("Hi"), call, result, call, result], "used twice"],
  ["two answers in a row", [user("Hi"), said, said], "follow each other"],
  ["an answer of thinking alone", [user("Hi"), thought], "is empty"],
  ["an answer of nothing", [user("Hi"), message("assistant")], "is empty"],
  ["a question of blanks", [user("  ")], "is empty"],
  ["a question without a visible character", [user("\u200b\u{e0041}")], "is empty"],
] as const)(
  "The check of transcripts refuses a transcript with %s, and the error names the defect",
  ([, messages, words]) => {
    expect(checkTranscript(messages)).toContain(words);
  },
);

it("A request with a broken transcript is not sent and ends with an error that is not retried", async () => {
  const requested = request(model("test", "m", { script: [{ text: "never said" }] }), { messages: [user("Hi"), call] });
  const parts = await collect(serverPort().stream(requested, new AbortController().signal));
  expect(parts).toMatchObject([{ type: "error", failure: { kind: "api", retryable: false } }]);
  expect(JSON.stringify(parts)).toContain("lacks its result");
});
