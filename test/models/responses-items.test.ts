// Streams of the Responses API from servers other than OpenAI's: ids of items that change or are missing, thinking of open models, texts
// that arrive only at the end of their item.

import { describe, expect, it } from "vitest";

import { answerTo } from "./answer-to.ts";
import { emitted } from "./ask-model.ts";
import {
  added,
  answer,
  call,
  completed,
  created,
  done,
  type Event,
  finished,
  stream,
  text,
  whole,
} from "./responses-events.ts";

describe("thinking of open models", () => {
  const item = { id: "rs_1", type: "reasoning", summary: [] };
  const message = { id: "msg_1", type: "message", role: "assistant" };
  const said = [added(1, message), text("msg_1", "It is four."), done(1, message), completed()];
  const piece = (delta: string, content_index = 0): Event => ({
    type: "response.reasoning_text.delta",
    item_id: "rs_1",
    output_index: 0,
    content_index,
    delta,
  });

  it("Thinking in `response.reasoning_text` is emitted as thinking, before the text", async () => {
    const read = await answer(created, added(0, item), piece("Two "), piece("and two."), done(0, item), ...said);
    expect(read).toMatchObject({ ...whole, ...finished });
    const begun = emitted(read.parts).filter((part) => part.type.endsWith("_start"));
    expect(begun.map((part) => part.type)).toEqual(["thinking_start", "text_start"]);
  });

  it.for([
    ["its last event", [{ ...piece(""), type: "response.reasoning_text.done", text: "Two and two." }], {}],
    ["the content of its item", [], { content: [{ type: "reasoning_text", text: "Two and two." }] }],
    ["the summary of its item", [], { summary: [{ type: "summary_text", text: "Two and two." }] }],
    [
      "pieces and the content of its item",
      [piece("Two and two.")],
      { content: [{ type: "reasoning_text", text: "Two and two." }] },
    ],
    ["two parts", [piece("Two "), piece("and two.", 1)], {}],
    ["an event of another name", [{ ...piece("Two and two."), type: "response.reasoning.delta" }], {}],
  ] as const)("Thinking in %s is emitted once", async ([, events, more]) => {
    const read = await answer(created, added(0, item), ...events, done(0, { ...item, ...more }), ...said);
    expect(read).toMatchObject({ ...whole, ...finished });
  });

  it("Thinking without any event that begins its item is emitted", async () => {
    const read = await answer(created, piece("Two and two."), done(0, item), ...said);
    expect(read).toMatchObject({ ...whole, ...finished });
  });

  it("Excluded thinking of an open model is neither in the events nor in the log", async () => {
    const sent = stream(created, added(0, item), piece("Two and two."), done(0, item), ...said);
    const { parts } = await answerTo("openai-responses", sent, "whole", { reasoning: { exclude: true } });
    expect(JSON.stringify(parts.filter((part) => part.type !== "thinking_delta"))).not.toContain("Two and");
  });
});

describe("ids of items", () => {
  const thought = (id: string) => ({ id, type: "reasoning", summary: [], encrypted_content: "gAAA" });
  const summary = (item_id: string, delta: string, summary_index = 0): Event => ({
    type: "response.reasoning_summary_text.delta",
    item_id,
    output_index: 0,
    summary_index,
    delta,
  });
  const part = (kind: "added" | "done", item_id: string, summary_index: number): Event => ({
    type: `response.reasoning_summary_part.${kind}`,
    item_id,
    output_index: 0,
    summary_index,
  });

  it("An answer is read by the numbers of its items if their ids change in every event", async () => {
    const read = await answer(
      created,
      added(0, thought("a")),
      part("added", "b", 0),
      summary("c", "Two "),
      part("done", "d", 0),
      part("added", "e", 1),
      summary("f", "and two.", 1),
      part("done", "g", 1),
      done(0, thought("h")),
      added(1, { id: "i", type: "message" }),
      text("j", "It is "),
      text("k", "four."),
      done(1, { id: "l", type: "message" }),
      added(2, { ...call, id: "m", arguments: "" }),
      { type: "response.function_call_arguments.delta", item_id: "n", output_index: 2, delta: '{"at":"noon"}' },
      done(2, { ...call, id: "o", call_id: "call_other" }),
      completed(),
    );
    expect(read).toMatchObject({
      ...whole,
      calls: [{ id: "call_aaaabbbbcccc1111", name: "get_time", arguments: '{"at":"noon"}' }],
      end: { type: "finish", stop_reason: "tool_calls" },
    });
    const kept = read.parts.find((one) => one.type === "thinking_end");
    expect(kept).toMatchObject({
      provider_data: { data: { openai: { itemId: "a", reasoningEncryptedContent: "gAAA" } } },
    });
  });

  it("An answer is read if its events have no numbers, no ids, or no event that begins an item", async () => {
    const noNumbers = await answer(
      created,
      { type: "response.output_item.added", item: { id: "m", type: "message" } },
      text("m", "It is ", null),
      text("m", "four.", null),
      { type: "response.output_item.done", item: { id: "m", type: "message" } },
      completed(),
    );
    const noIds = await answer(
      added(0, { type: "message" }),
      { type: "response.output_text.delta", output_index: 0, delta: "It is four." },
      done(0, { type: "message" }),
      completed(),
    );
    const noBegin = await answer(text("m", "It is four.", 0), done(0, { type: "message" }), completed());
    for (const read of [noNumbers, noIds, noBegin]) expect(read).toMatchObject({ text: "It is four.", ...finished });
  });

  it("An event of an item that ended, and a repeated end, neither fail the answer nor repeat its content", async () => {
    const message = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "It is four." }] };
    const read = await answer(
      created,
      added(0, thought("rs_1")),
      summary("rs_1", "Two and two."),
      done(0, thought("rs_1")),
      part("done", "rs_1", 0),
      done(0, thought("rs_1")),
      added(1, { id: "msg_1", type: "message" }),
      text("msg_1", "It is four."),
      { ...text("msg_1", ""), type: "response.output_text.done", text: "It is four." },
      done(1, message),
      done(1, message),
      completed([thought("rs_1"), message]),
    );
    expect(read).toMatchObject({ ...whole, ...finished });
  });

  it("Items with the same id are separate items", async () => {
    const read = await answer(
      created,
      added(0, { id: "x", type: "message" }),
      added(1, { id: "x", type: "message" }),
      text("x", "It is ", 0),
      text("x", "four.", 1),
      done(0, { id: "x", type: "message" }),
      done(1, { id: "x", type: "message" }),
      completed(),
    );
    expect(read).toMatchObject({ text: "It is four.", ...finished });
  });
});

describe("content that arrives late", () => {
  const message = {
    id: "msg_1",
    type: "message",
    content: [{ type: "output_text", text: "It is four.", annotations: [] }],
  };

  it.for([
    [
      "the last event of its text",
      [
        added(0, { id: "msg_1", type: "message" }),
        { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text: "It is four." },
        done(0, { id: "msg_1", type: "message" }),
        completed(),
      ],
    ],
    ["its item", [added(0, { id: "msg_1", type: "message" }), done(0, message), completed()]],
    ["the last event of the answer", [completed([message])]],
    [
      "an item that does not end",
      [added(0, { id: "msg_1", type: "message" }), text("msg_1", "It is four.", 0), completed([message])],
    ],
  ] as const)("Text that arrives only in %s is emitted", async ([, events]) => {
    expect(await answer(created, ...events)).toMatchObject({ text: "It is four.", ...finished });
  });

  it.for([
    ["only its last event", [done(0, { ...call, id: "fc_1" })]],
    [
      "an event without a name first",
      [
        added(0, { type: "function_call", id: "fc_1" }),
        { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"at":"noon"}' },
        done(0, { ...call, arguments: "" }),
      ],
    ],
    [
      "its arguments only at their end",
      [
        added(0, { ...call, id: "fc_1", arguments: "" }),
        { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: '{"at":"noon"}' },
        done(0, { ...call, id: "fc_1", arguments: "" }),
      ],
    ],
    [
      "no last event",
      [
        added(0, { ...call, id: "fc_1", arguments: "" }),
        { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"at":"noon"}' },
      ],
    ],
    [
      "arguments as an object",
      [added(0, { ...call, id: "fc_1", arguments: {} }), done(0, { ...call, id: "fc_1", arguments: { at: "noon" } })],
    ],
  ] as const)("A call with %s is emitted as complete", async ([, events]) => {
    const read = await answer(created, ...events, completed());
    expect(read).toMatchObject({
      calls: [{ name: "get_time", arguments: '{"at":"noon"}' }],
      end: { type: "finish", stop_reason: "tool_calls" },
    });
  });

  const thought = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Two and two." }] };

  it("Each item is emitted that only the last event of the answer has", async () => {
    expect(await answer(completed([thought, message]))).toMatchObject({ ...whole, ...finished });
    const twice = await answer(created, completed([call, { ...call, call_id: "call_2" }]));
    expect(twice.calls).toHaveLength(2);
    const begun = await answer(
      created,
      added(0, { ...thought, summary: [] }),
      done(0, thought),
      completed([thought, message]),
    );
    expect(begun).toMatchObject({ ...whole, ...finished });
    const said = [added(0, { id: "msg_1", type: "message" }), text("msg_1", "It is four.", 0), done(0, message)];
    const read = await answer(created, ...said, completed([message, { ...call, id: "fc_1" }]));
    expect(read).toMatchObject({ text: "It is four.", calls: [{ name: "get_time", arguments: '{"at":"noon"}' }] });
  });

  it("An item is not emitted again by the last event of the answer, whatever its id and number are there", async () => {
    const said = [added(1, { id: "a", type: "message" }), text("b", "It is four."), done(1, { ...message, id: "c" })];
    const called = [added(2, { ...call, id: "d" }), done(2, { ...call, id: "e" })];
    const other = { ...call, id: "f", call_id: "call_other" };
    const read = await answer(created, ...said, ...called, completed([{ ...message, id: "g" }, other]));
    expect(read).toMatchObject({ text: "It is four.", calls: [{ arguments: '{"at":"noon"}' }] });
    expect(read.calls).toHaveLength(1);
  });

  it("Thinking is not emitted after the content that it belongs to", async () => {
    const said = [added(0, { id: "msg_1", type: "message" }), text("msg_1", "It is four.", 0), done(0, message)];
    expect(await answer(created, ...said, completed([thought, message]))).toMatchObject({
      text: "It is four.",
      thinking: "",
    });
  });

  it.for([
    ["empty arguments", "", [], "{}"],
    ["all arguments in its first event", '{"at":"noon"}', [], '{"at":"noon"}'],
    ["arguments in its first event and in a piece", '{"at":"noon"}', ['{"at":"noon"}'], '{"at":"noon"}'],
    ["blank arguments", "", [" "], "{}"],
  ] as const)("A call with %s and no last event is emitted as complete", async ([, first, pieces, expected]) => {
    const deltas = pieces.map((delta) => ({
      type: "response.function_call_arguments.delta",
      item_id: "fc_1",
      output_index: 0,
      delta,
    }));
    const read = await answer(created, added(0, { ...call, id: "fc_1", arguments: first }), ...deltas, completed());
    expect(read).toMatchObject({
      calls: [{ name: "get_time", arguments: expected }],
      end: { type: "finish", stop_reason: "tool_calls" },
    });
  });

  it("An event of a known kind that the package refuses does not fail an answer that is complete", async () => {
    const odd = { type: "response.output_item.added", output_index: 0, item: { type: "web_search_call", id: "ws_1" } };
    const note = { type: "response.output_text.annotation.added", annotation: { type: "hologram" } };
    const page = {
      type: "response.output_text.annotation.added",
      annotation: { type: "url_citation", url: "https://a.example/" },
    };
    const said = [
      added(1, { id: "msg_1", type: "message" }),
      text("msg_1", "It is four."),
      note,
      page,
      done(1, message),
    ];
    const read = await answer(created, odd, ...said, completed());
    expect(read).toMatchObject({ text: "It is four.", ...finished });
    expect(read.end).toMatchObject({ sources: [{ url: "https://a.example/" }] });
    const incomplete = {
      type: "response.incomplete",
      response: { incomplete_details: { reason: "max_output_tokens" } },
    };
    expect(await answer(created, odd, ...said, incomplete)).toMatchObject({
      end: { type: "finish", stop_reason: "length" },
    });
  });

  it("The message of a failed answer is kept if fields of its event are missing", async () => {
    const failed = { type: "response.failed", response: { error: { message: "The runner has stopped." }, usage: {} } };
    const sent = `data: ${JSON.stringify(failed)}\n\n`;
    const { end } = await answerTo(
      "openai-responses",
      stream(created, added(0, { type: "message" }), text("m", "Hel", 0)) + sent,
    );
    expect(end).toMatchObject({ type: "error", failure: { message: "The runner has stopped." } });
  });
});
