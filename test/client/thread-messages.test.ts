// The messages of a thread as messages of assistant-ui, and messages of its composer as messages to post.

import type { AppendMessage, ThreadMessage } from "@assistant-ui/react";
import { describe, expect, it } from "vitest";

import type { MessageView, RunView } from "#client/index.ts";
import { newMessage } from "#react/assistant-ui/new-message.ts";
import { ThreadMessages } from "#react/assistant-ui/runtime-messages.ts";
import type { ThreadContent } from "#react/assistant-ui/runtime-messages.ts";

let position = 0;

function message(fields: Partial<MessageView>): MessageView {
  position += 1;
  return {
    id: `m${String(position)}`,
    role: "assistant",
    content: null,
    name: null,
    tool_calls: null,
    tool_call_id: null,
    created_at: 1_000_000,
    parent_id: null,
    depth: 0,
    silent: false,
    metadata: {},
    parts: [],
    position: String(position).padStart(5, "0"),
    branch_id: "",
    run_id: "r1",
    side: null,
    status: "complete",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    attachments: [],
    streaming: false,
    ...fields,
  };
}

const text = (words: string) => ({ type: "text" as const, text: words });
const call = (id: string) => ({ type: "tool_call" as const, id, name: "look", arguments: { at: id } });

function content(messages: readonly MessageView[], more: Partial<ThreadContent> = {}): ThreadContent {
  return {
    threadId: "t",
    messages,
    tools: {},
    runs: {},
    activeRunId: null,
    pending: [],
    siblings: () => null,
    ...more,
  };
}

/** The shown messages of a state. */
function shownBy(list: ThreadMessages, state: ThreadContent): ThreadMessage[] {
  return list.convert(state).messages.map((one) => one.message);
}

function runOf(fields: Partial<RunView>): RunView {
  const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };
  return { id: "r1", status: "running", steps: 0, usage, cost: 0, reason: null, error: null, ...fields };
}

const user = message({ role: "user", parts: [text("Look.")] });

describe("the messages of a thread", () => {
  it("AUI1 All answers of a run are one assistant-ui message, which has results in its calls and no hidden messages", () => {
    const answers = [
      user,
      message({ parts: [{ type: "thinking", thinking: "Hm." }, text("I look."), call("c1"), call("c2")] }),
      message({ role: "tool", tool_call_id: "c1", content: '{"found":2}' }),
      message({ role: "tool", tool_call_id: "c2", result: { status: "error", error: "No." } }),
      message({ depth: 1, parts: [text("nested")] }),
      message({ silent: true, parts: [text("silent")] }),
      message({ parts: [text("Two.")], stop_reason: "stop" }),
    ];
    const [question, answer, ...others] = shownBy(new ThreadMessages(), content(answers));
    expect(others).toEqual([]);
    expect(question).toMatchObject({ role: "user", content: [text("Look.")] });
    expect(answer).toMatchObject({
      id: "r1",
      status: { type: "complete" },
      content: [
        { type: "reasoning", text: "Hm." },
        text("I look."),
        { type: "tool-call", toolCallId: "c1", args: { at: "c1" }, result: { found: 2 }, isError: false },
        { type: "tool-call", toolCallId: "c2", result: "No.", isError: true },
        text("Two."),
      ],
    });
  });

  it("AUI1 Unchanged assistant-ui messages stay the same objects, and an answer keeps its id when its first message is retracted", () => {
    const converter = new ThreadMessages();
    const first = [user, message({ run_id: "r1", parts: [text("Done.")] })];
    const begun = message({ run_id: "r2", streaming: true, parts: [text("Ha")] });
    const next = message({ role: "user", run_id: "r2", parts: [text("And?")] });
    const active = { runs: { r2: runOf({ id: "r2" }) }, activeRunId: "r2" };
    const before = shownBy(converter, content([...first, next, begun], active));
    const grown = shownBy(converter, content([...first, next, { ...begun, parts: [text("Half")] }], active));
    expect(grown.map((one, at) => one === before[at])).toEqual([true, true, true, false]);
    expect(grown[3]).toMatchObject({ id: "r2", content: [text("Half")], status: { type: "running" } });
    const again = message({ run_id: "r2", streaming: true, parts: [text("Whole")] });
    const retried = shownBy(converter, content([...first, next, again], active));
    expect(retried[3]).toMatchObject({ id: "r2", content: [text("Whole")] });
  });

  it("AUI3 If a run fails after a message joined it, the run keeps its answer and shows its error after that message", () => {
    const joined = message({ role: "user", parts: [text("And that?")] });
    const failed = { r1: runOf({ status: "error", error: { code: "api", message: "No model." } }) };
    const shown = shownBy(
      new ThreadMessages(),
      content([user, message({ parts: [text("I look.")] }), joined], { runs: failed }),
    );
    expect(shown).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [text("I look.")] },
      { role: "user", content: [text("And that?")] },
      { role: "assistant", content: [], status: { type: "incomplete", reason: "error", error: "No model." } },
    ]);
    expect(new Set(shown.map(({ id }) => id)).size).toBe(4);
  });

  it("AUI5 Each other branch that parts before a message is an empty message with the same parent, in the order of the branches", () => {
    const question = message({ id: "q", role: "user", parts: [text("Why?")] });
    const answer = message({ id: "a", parts: [text("So.")] });
    const siblings = (id: string | undefined) => (id === "a" ? { branches: ["one", "two", "three"], index: 1 } : null);
    const { headId, messages } = new ThreadMessages().convert(content([question, answer], { siblings }));
    expect(headId).toBe("r1");
    expect(
      messages.map(({ message: one, parentId }) => [one.role, parentId, one.metadata.custom["otherBranch"]]),
    ).toEqual([
      ["user", null, undefined],
      ["assistant", "q", "one"],
      ["assistant", "q", undefined],
      ["assistant", "q", "three"],
    ]);
    expect(messages[2]?.message).toMatchObject({ id: "r1", content: [{ text: "So." }] });
    // assistant-ui keeps the order of messages that it knows, so those of other branches are new ones after each change.
    const other = (id: string | undefined) => (id === "a" ? { branches: ["one", "two", "three"], index: 0 } : null);
    const changed = new ThreadMessages().convert(content([question, answer], { siblings: other })).messages;
    const ids = new Set(messages.map(({ message: one }) => one.id));
    expect(changed.filter(({ message: one }) => ids.has(one.id)).map(({ message: one }) => one.id)).toEqual([
      "q",
      "r1",
    ]);
  });

  it("AUI2 A call that needs approval has the status requires-action, a decision is part of the call, and waiting calls of other messages are data parts", () => {
    const asking = [user, message({ parts: [call("c1")] })];
    const pending = ["c1", "c9"].map((id) => ({ id, name: "look", kind: "approval" as const, run_id: "r1" }));
    const waiting = content(asking, {
      runs: { r1: runOf({ status: "awaiting_tool_execution" }) },
      activeRunId: "r1",
      pending: pending as unknown as ThreadContent["pending"],
    });
    expect(shownBy(new ThreadMessages(), waiting)[1]).toMatchObject({
      status: { type: "requires-action", reason: "tool-calls" },
      content: [{ approval: { id: "c1" } }, { type: "data", name: "pending-call", data: { id: "c9" } }],
    });
    const declined = message({
      role: "tool",
      tool_call_id: "c1",
      content: "Declined.",
      approval: { approved: false, by: null, at: 1, reason: "too dear" },
    });
    const [, answer] = shownBy(new ThreadMessages(), content([...asking, declined]));
    expect(answer?.content).toMatchObject([{ approval: { id: "c1", approved: false, reason: "too dear" } }]);
  });

  it("AUI3 A failed run shows its error, also without an answer, and a stopped run has the reason cancelled", () => {
    const error = { code: "model_error", message: "No key fits." } as unknown as RunView["error"];
    const runs = { r1: runOf({ status: "error", error }) };
    const incomplete = { type: "incomplete", reason: "error", error: "No key fits." };
    expect(shownBy(new ThreadMessages(), content([user], { runs }))[1]).toMatchObject({ id: "r1", status: incomplete });
    const half = message({ parts: [text("Half")], stop_reason: "error" });
    expect(shownBy(new ThreadMessages(), content([user, half], { runs }))[1]).toMatchObject({ status: incomplete });
    const stopped = message({ parts: [text("Half")], stop_reason: "aborted" });
    const cancelled = { type: "incomplete", reason: "cancelled" };
    expect(shownBy(new ThreadMessages(), content([user, stopped]))[1]).toMatchObject({ status: cancelled });
  });
});

describe("a message of the composer", () => {
  const appended = (fields: Partial<AppendMessage>): AppendMessage =>
    ({
      role: "user",
      content: [text("See")],
      attachments: [],
      metadata: { custom: {} },
      runConfig: {},
      ...fields,
    }) as unknown as AppendMessage;

  it("AUI2 Files of the thread are sent by their path, others as bytes or by their address", () => {
    const parts = [
      text("See"),
      { type: "file", data: "/api/threads/t/files/uploads/a%20b.txt", mimeType: "text/plain", filename: "a b.txt" },
      { type: "image", image: "data:image/png;base64,AAAA", filename: "a.png" },
      { type: "image", image: "https://example.com/a.png", filename: "b.png" },
    ] as unknown as AppendMessage["content"];
    const image = [{ type: "image", image: "/api/threads/t/files/uploads/c.png", filename: "c.png" }];
    const attachments = [{ contentType: "image/png", content: image }] as unknown as NonNullable<
      AppendMessage["attachments"]
    >;
    expect(newMessage("t", appended({ content: parts, attachments }))).toEqual({
      content: [
        { type: "image", mime_type: "image/png", path: "/uploads/c.png", name: "c.png" },
        { type: "file", mime_type: "text/plain", path: "/uploads/a b.txt", name: "a b.txt" },
        { type: "image", mime_type: "image/png", data: "AAAA", name: "a.png" },
        text("See"),
      ],
      attachments: [{ url: "https://example.com/a.png", name: "b.png" }],
    });
  });

  it("AUI3 A message of assistant-ui is refused if a thread does not accept its role, its runConfig or its content", () => {
    const audio = [{ type: "audio", audio: { data: "", format: "mp3" } }] as unknown as AppendMessage["content"];
    expect(() => newMessage("t", appended({ role: "assistant" }))).toThrow(/role "assistant"/);
    expect(() => newMessage("t", appended({ runConfig: { custom: { model: "other" } } }))).toThrow(/runConfig/);
    expect(() => newMessage("t", appended({ content: audio }))).toThrow(/"audio"/);
  });
});
