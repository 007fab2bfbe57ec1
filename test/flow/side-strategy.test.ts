// When a side's turn is over, and with which status the run then ends.

import { expect, it } from "vitest";

import type { ToolResult } from "#contract/call-result.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Progress, StepOutcome } from "#core/ports/strategy-port.ts";
import { blankStreak } from "#core/record/blank-answer.ts";
import { outcomeOf, stepOf } from "#core/record/run-state.ts";
import { mainScope } from "#core/record/scope.ts";
import { sideStrategy } from "#flow/strategy/side-strategy.ts";
import type { SideConfig } from "#spec/index.ts";

import { messageRecord } from "../store/records.ts";

const go = { type: "step" };

function decide(
  side: Partial<SideConfig>,
  last: Partial<StepOutcome> | null,
  { steps = 1, blanks = 0, bound = null as number | null } = {},
) {
  const blank = (last?.text ?? "").trim() === "" && (last?.calls ?? []).length === 0;
  const none = { message_id: "m", text: null, thinking: null, stop_reason: "stop", usage: null, cost: 0 } as const;
  const outcome = last === null ? null : { ...none, calls: [], blank, ...last };
  const progress: Progress = { steps, last: outcome };
  const loop = { maxSteps: bound, blanks: () => blanks, form: null, attempts: () => 1 };
  return sideStrategy({ prompt: "p", ...side }, loop).next(progress);
}

const called = (name: string, result: ToolResult, args: JsonObject = {}) => ({
  calls: [{ call: { id: "c", name, arguments: args }, result }],
});

it("A run makes its first step, and a text without calls ends the turn unless stopOnResponse is false", () => {
  expect(decide({}, null, { steps: 0 })).toEqual(go);
  expect(decide({}, { text: "Hi" })).toEqual({ type: "end", status: "completed", reason: "response" });
  expect(decide({ stopOnResponse: false }, { text: "Hi" })).toEqual(go);
  expect(decide({}, { text: "Hi", ...called("it", { status: "success" }) })).toEqual(go);
});

it("A blank answer is requested again at most twice", () => {
  for (const text of [null, "", " \n"]) {
    expect([1, 2].map((blanks) => decide({}, { text }, { blanks }))).toEqual([go, go]);
    expect(decide({}, { text }, { blanks: 3 })).toMatchObject({ status: "error", reason: "blank_answer" });
  }
});

it("If an answer is blocked or reaches its length limit before any text, the run ends with this reason as an error", () => {
  const blocked = { text: "", stop_reason: "content_filter" as const };
  expect(decide({}, blocked, { blanks: 1 })).toEqual({
    type: "end",
    status: "error",
    reason: "content_filter",
    error: { code: "content_filter", message: "The provider refused to answer or blocked the answer." },
  });
  const detail = "SAFETY: The prompt names a weapon.";
  expect(decide({}, { ...blocked, stop_detail: detail }, { blanks: 1 })).toMatchObject({
    error: { message: `The provider refused to answer or blocked the answer: ${detail}` },
  });
  for (const stopOnResponse of [true, false]) {
    const end = decide({ stopOnResponse }, { stop_reason: "length" }, { blanks: 1 });
    expect(end).toMatchObject({ status: "error", reason: "length", error: { code: "length" } });
  }
  expect(decide({}, { text: "It is", stop_reason: "length" })).toMatchObject({ status: "completed" });
  expect(decide({}, { text: "It is", stop_reason: "content_filter" })).toMatchObject({ status: "completed" });
});

it("An answer with an image, a file or other content ends the run, and an answer of thinking alone counts as blank and is requested again", async () => {
  const step = async (changes: Parameters<typeof messageRecord>[1]) => {
    const answer = messageRecord(2, { role: "assistant", step: 1, model: "m", stop_reason: "stop", ...changes });
    const decided = await decide({}, outcomeOf(stepOf(answer, [])), { blanks: 1 });
    return [decided.type, blankStreak([answer], mainScope)];
  };
  const png = { type: "image", mime_type: "image/png", path: "/a.png" } as const;
  expect(await step({ parts: [png] })).toEqual(["end", 0]);
  expect(
    await step({
      parts: [
        { type: "text", text: " " },
        { ...png, type: "file" },
      ],
    }),
  ).toEqual(["end", 0]);
  expect(await step({ parts: [], has_other_content: true })).toEqual(["end", 0]);
  expect(await step({ parts: [{ type: "thinking", thinking: "Hm." }] })).toEqual(["step", 1]);
});

it("The stop tool ends the turn when it is called, also if it fails, and its outcome replaces a text", () => {
  const side = { stopTool: "finish", stopOnResponse: false };
  const end = { status: "completed", reason: "stop_tool" };
  expect(decide(side, { text: "Hi", ...called("finish", { status: "success", result: "r" }) })).toMatchObject(end);
  expect(decide(side, called("finish", { status: "error", error: "no" }))).toMatchObject({ ...end, outcome: "no" });
  expect(decide(side, called("other", { status: "success" }))).toEqual(go);
});

it.for<[string, ToolResult, JsonObject, unknown]>([
  ["its result", { status: "success", result: '{"said":{"a":1}}' }, { said: "args" }, { a: 1 }],
  ["its result, also when that is null", { status: "success", result: '{"said":null}' }, { said: "args" }, null],
  ["its arguments where the result lacks it", { status: "success", result: '{"other":1}' }, { said: "args" }, "args"],
  ["its arguments where the result is no JSON", { status: "success", result: "fine" }, { said: 0 }, 0],
  ["its arguments where it failed", { status: "error", error: "no" }, { said: "args" }, "args"],
  [
    "its arguments where the result is nested without end",
    { status: "success", result: `{"said":${"[".repeat(9999)}${"]".repeat(9999)}}` },
    { said: "args" },
    "args",
  ],
  ["the result's text where both lack it", { status: "success", result: "fine" }, {}, "fine"],
  ["no inherited field", { status: "success", result: "{}" }, {}, "{}"],
])(
  "The outcome of a stop tool with a `stopToolResponseProperty` is read from %s",
  ([, result, args, outcome], { expect: expectHere }) => {
    const side = { stopTool: "finish", stopToolResponseProperty: "said" };
    expectHere(decide(side, called("finish", result, args))).toMatchObject({ outcome });
  },
);

it("A stopToolResponseProperty that every object inherits, as constructor, is not read from the result", () => {
  const side = { stopTool: "finish", stopToolResponseProperty: "constructor" };
  expect(decide(side, called("finish", { status: "success", result: "{}" }))).toMatchObject({ outcome: "{}" });
});

it("The `endSessionTool` ends the session only if its call succeeds", () => {
  const side = { endSessionTool: "bye" };
  expect(decide(side, called("bye", { status: "success", result: "r" }))).toMatchObject({ reason: "end_session_tool" });
  expect(decide(side, called("bye", { status: "error", error: "no" }))).toEqual(go);
});

it("A limit of steps ends the run with the status `limit`, unless the last step completes the run", () => {
  const calls = called("it", { status: "success" });
  const limit = { type: "end", status: "limit", reason: "max_steps" };
  expect(decide({}, calls, { steps: 2, bound: 2 })).toEqual(limit);
  expect(decide({}, calls, { steps: 1, bound: 2 })).toEqual(go);
  expect(decide({}, { text: "Hi" }, { steps: 2, bound: 2 })).toMatchObject({ status: "completed" });
});
