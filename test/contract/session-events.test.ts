// A thread's events converted to the events of the agent API rework plan (docs/reference/agent-api.md), for random sequences.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { EventDraft, PlainEvent, ThreadEvent } from "#contract/event.ts";
import { agentEventSchema } from "#contract/session/agent-event.ts";
import type { AgentEvent } from "#contract/session/agent-event.ts";
import { AgentEvents } from "#contract/session/execution-events.ts";
import { toThread } from "#core/record/view.ts";

import { threadRecord } from "../store/records.ts";
import { idAt, messageAt, numbered, retracted, spoken, story, worked } from "./support/story.ts";

const seed = Date.now() % 2 ** 31;
const runs = { numRuns: 200, seed };

const zero = { input: 1, output: 1, cache_read: 0, cache_write: 0, total_tokens: 2 };
const end = { reason: null, outcome: null, usage: zero, cost: 0, message_ids: [], error: null };
const ended: EventDraft = { type: "run_end", status: "completed", ...end };

function events(isRemote: (name: string) => boolean = () => false): AgentEvents {
  return new AgentEvents({ sessionId: "s", runId: "run", providers: new Map([["small", "test"]]), isRemote });
}

function emitted(thread: readonly ThreadEvent[], mapper = events()): AgentEvent[] {
  return [...mapper.begin(), ...thread.flatMap((event) => mapper.take(event))];
}

function ending(thread: readonly PlainEvent[], last: EventDraft = ended): PlainEvent[] {
  return [...thread, ...numbered([last], (thread.at(-1)?.seq ?? 0) + 1)];
}

/** What is open after each event. */
function openAfter(all: readonly AgentEvent[]): string[] {
  const open: string[] = [];
  const close = (what: string) => {
    const at = open.lastIndexOf(what);
    expect(at, `${what} ends without having begun`).not.toBe(-1);
    open.splice(at, 1);
  };
  for (const event of all) {
    expect(agentEventSchema.parse(event)).toEqual(event);
    if (event.type === "message_start") open.push("message");
    if (event.type === "message_end") {
      close("message");
      expect(open.filter((what) => what === "text" || what === "thinking")).toEqual([]);
    }
    if (event.type === "text_start") open.push("text");
    if (event.type === "text_end") close("text");
    if (event.type === "text_delta") expect(open).toContain("text");
    if (event.type === "tool_execution_start") open.push(event.toolCallId);
    if (event.type === "tool_execution_end") close(event.toolCallId);
  }
  return open;
}

it("SESSION1 An execution emits an end event for each message, block and tool execution that it began, however the run ends", () => {
  console.info(`SESSION1 seed ${seed}`);
  fc.assert(
    fc.property(story, fc.nat(60), (thread, at) => {
      const all = emitted(ending(thread.slice(0, at)));
      expect(openAfter(all)).toEqual([]);
      expect(all.at(-1)?.type).toBe("session_end");
    }),
    runs,
  );
});

it("SESSION1 An execution ends with an error when its stream of events stops permanently", () => {
  fc.assert(
    fc.property(story, fc.nat(60), (thread, at) => {
      const mapper = events();
      const all = [...emitted(thread.slice(0, at), mapper), ...mapper.fail("gone")];
      expect(openAfter(all)).toEqual([]);
      expect(mapper.result?.status).toBe("error");
      expect([...mapper.fail("again"), ...mapper.rest([]), ...emitted(ending(thread), mapper).slice(1)]).toEqual([]);
    }),
    runs,
  );
});

it("SESSION2 A session event stream adds only the new text of repeated or merged deltas", () => {
  fc.assert(
    fc.property(story, fc.nat(60), fc.nat(60), (thread, to, from) => {
      const whole = ending(thread);
      // A reader that attaches again receives events from an earlier position, with merged deltas from the beginning of their block.
      const again = whole.slice(Math.min(to, from)).map((event, at, rest) => {
        if (event.type !== "text_delta" || at !== 0) return event;
        const before = rest[0]?.type === "text_delta" ? rest[0].offset : 0;
        const text = whole
          .filter((one) => one.type === "text_delta" && one.message_id === event.message_id)
          .map((one) => (one.type === "text_delta" ? one.delta : ""))
          .join("");
        return { ...event, offset: 0, delta: text.slice(0, before + event.delta.length) };
      });
      const all = emitted([...whole.slice(0, to), ...again]);
      expect(all.filter(({ type }) => type !== "session_end")).toEqual(
        emitted(whole).filter(({ type }) => type !== "session_end"),
      );
      let text = "";
      for (const event of all) {
        if (event.type === "text_start") text = "";
        if (event.type === "text_delta") text += event.delta;
        if (event.type === "text_end") expect(text).toBe(event.text);
      }
    }),
    runs,
  );
});

it("SESSION7 An execution continues when the last call of a child thread has its answer and no call is open", () => {
  const mapper = events();
  const all = emitted(ending([], { type: "awaiting_tool_execution", tool_calls: [] }), mapper);
  expect(all).toEqual([{ type: "session_start", sessionId: "s" }]);
  expect(mapper.result).toBeNull();
  emitted(ending([]), mapper);
  expect(mapper.result?.status).toBe("completed");
});

it("SESSION2 After a snapshot, a session event stream emits the messages that ended meanwhile and continues the message in progress", () => {
  const whole = numbered([...spoken(1, "First", [2]), ...spoken(2, "Second", [3])]);
  const last = whole.at(-1);
  const first = whole.find((event) => event.type === "message_end");
  const partial = whole.filter(({ message_id }) => message_id === idAt(2)).slice(0, 3);
  const snapshot: ThreadEvent = {
    type: "snapshot",
    seq: 8,
    thread_id: "t",
    at: 1,
    thread: toThread(threadRecord()),
    messages: first?.type === "message_end" ? [first.message] : [],
    partial,
  };
  const rest = whole.slice(whole.findIndex((event) => event === partial.at(-1)) + 1);
  const all = emitted([...whole.slice(0, 3), snapshot, ...ending(rest)]);
  expect(last?.type).toBe("message_end");
  expect(openAfter(all)).toEqual([]);
  const ends = all.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
  expect(ends).toMatchObject([
    { role: "assistant", content: [{ type: "text", text: "First" }] },
    { role: "assistant", content: [{ type: "text", text: "Second" }] },
  ]);
  const deltas = all.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("");
  expect(deltas).toBe("FiSecond");
});

it("SESSION3 A retracted text ends as an aborted message, which is not in the final messages of the execution", () => {
  for (const named of [true, false]) {
    const drafts = retracted(1, "half an answ");
    const back: EventDraft = { type: "message_retracted", reason: "recovery" };
    const thread = named ? drafts : [...drafts.slice(0, -1), back];
    const late = spoken(1, "half an answer", []).slice(3);
    const all = emitted(ending(numbered([...thread, ...late, ...spoken(2, "whole", [])])));
    const ends = all.flatMap((event) => (event.type === "message_end" ? [event.message] : []));
    expect(ends).toMatchObject([
      { role: "aborted", partial: { content: [{ type: "text", text: "half an answ" }] } },
      { role: "assistant", content: [{ type: "text", text: "whole" }] },
    ]);
    expect(all.at(-1)).toMatchObject({ type: "session_end", messages: [{ role: "assistant" }] });
    expect(openAfter(all)).toEqual([]);
  }
});

it("SESSION4 Events of nested scopes, silent messages and other runs are not emitted, and the final messages contain the edited text of a message", () => {
  const nested = spoken(1, "below", []).map((draft) => ({ ...draft, depth: 1, parent_id: "m9" }));
  const below = nested.map((draft) =>
    draft.type === "message_end" ? { ...draft, message: { ...draft.message, depth: 1, parent_id: "m9" } } : draft,
  );
  const hidden = messageAt(3, { silent: true, content: "hidden", parts: [{ type: "text", text: "hidden" }] });
  const silent: EventDraft[] = [
    { type: "message_start", message_id: hidden.id, role: "assistant", position: hidden.id, silent: true },
    { type: "message_end", message_id: hidden.id, silent: true, message: hidden },
  ];
  const user = messageAt(0, { role: "user", content: "Hello", parts: [{ type: "text", text: "Hello" }] });
  const requested: EventDraft[] = [
    { type: "message_start", message_id: user.id, role: "user", position: user.id },
    { type: "message_end", message_id: user.id, message: user },
  ];
  const edited = messageAt(4, { content: "edited", parts: [{ type: "text", text: "edited" }] });
  const other = numbered(spoken(7, "of another run", [])).map((event) => ({ ...event, run_id: "other" }));
  const thread = [
    ...numbered([...requested, ...below, ...silent, ...spoken(4, "first", [])]),
    ...other,
    ...numbered([{ type: "message_updated", message_id: edited.id, message: edited }], 50),
  ];
  const mapper = events();
  const all = emitted(ending(thread), mapper);
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: [{ type: "text", text: "edited" }] },
  ];
  expect(all.at(-1)).toMatchObject({ type: "session_end", sessionId: "s", messages });
  expect(mapper.result?.messages).toMatchObject(messages);
  expect(all.filter(({ type }) => type === "text_start")).toHaveLength(1);
  expect(all.filter(({ type }) => type === "message_start")).toEqual([
    { type: "message_start", role: "user" },
    { type: "message_start", role: "assistant" },
  ]);
});

it("SESSION5 A call of a client tool has no tool_execution events, and a call of a server tool has each of them once", () => {
  const thread = numbered([
    ...worked(1, "found"),
    ...worked(2, "asked").map((draft) => ({ ...draft, tool_name: "far" })),
  ]);
  const again = [...thread.slice(0, 2), ...thread];
  const all = emitted(
    ending(again as PlainEvent[]),
    events((name) => name === "far"),
  );
  expect(all.filter(({ type }) => type.startsWith("tool_execution"))).toEqual([
    { type: "tool_execution_start", toolCallId: "c1", toolName: "it", args: {} },
    { type: "tool_execution_delta", toolCallId: "c1", delta: "found" },
    { type: "tool_execution_end", toolCallId: "c1", output: "found" },
  ]);
  expect(all.filter(({ type }) => type === "message_end")).toHaveLength(2);
});

it("SESSION6 If an answer broke off, its execution emits the text as the partial content of an error or an aborted message", () => {
  const half = spoken(1, "half", []).map((draft) =>
    draft.type === "message_end" ? { ...draft, message: { ...draft.message, stop_reason: "error" as const } } : draft,
  );
  const failed: EventDraft = { type: "run_end", ...end, status: "error", error: { code: "api", message: "It broke." } };
  const all = emitted(ending(numbered(half), failed));
  const partial = { role: "assistant", content: [{ type: "text", text: "half" }], stopReason: "length" };
  expect(all.slice(-3)).toMatchObject([
    { type: "message_end", message: { role: "error", error: "It broke.", partial } },
    { type: "error", error: "It broke.", message: { role: "error", error: "It broke.", partial } },
    { type: "session_end", messages: [{ role: "error", partial }] },
  ]);
  const aborted = half.map((draft) =>
    draft.type === "message_end" ? { ...draft, message: { ...draft.message, stop_reason: "aborted" as const } } : draft,
  );
  const stopped: EventDraft = { type: "run_end", ...end, status: "stopped" };
  expect(emitted(ending(numbered(aborted), stopped)).at(-1)).toMatchObject({
    messages: [{ role: "aborted", partial }],
  });
  const alone = emitted(ending([], failed));
  expect(alone).toEqual([
    { type: "session_start", sessionId: "s" },
    { type: "message_start", role: "error" },
    { type: "message_end", message: { role: "error", error: "It broke." } },
    { type: "error", error: "It broke.", message: { role: "error", error: "It broke." } },
    { type: "session_end", sessionId: "s", messages: [{ role: "error", error: "It broke." }] },
  ]);
});

it("SESSION7 The status of an ended or waiting run is converted to a status of the agent API", () => {
  const statuses = { completed: "completed", stopped: "completed", limit: "completed", error: "error" } as const;
  for (const [status, expected] of Object.entries(statuses)) {
    const mapper = events();
    emitted(ending([], { ...ended, status: status as keyof typeof statuses }), mapper);
    expect(mapper.result?.status).toBe(expected);
  }
  const mapper = events();
  const call = { id: "c1", name: "far", arguments: { at: 1 } };
  const awaiting: EventDraft = {
    type: "awaiting_tool_execution",
    tool_calls: [
      { ...call, kind: "remote", deadline: 5 },
      { ...call, id: "c2", kind: "approval", deadline: null },
    ],
  };
  const all = emitted(ending([], awaiting), mapper);
  const toolCalls = [call, { ...call, id: "c2", kind: "approval" }];
  expect(all.slice(1)).toEqual([
    { type: "awaiting_tool_execution", sessionId: "s", toolCalls },
    { type: "session_end", sessionId: "s", messages: [] },
  ]);
  expect(mapper.result).toEqual({
    status: "awaiting_tool_execution",
    messages: [],
    pendingToolCalls: toolCalls,
    cost: 0,
  });
});

it("SESSION7 The cost of an execution is the sum over its answers, each counted once, and unknown if the cost of one answer is unknown", () => {
  const priced = (position: number, cost: number | null): EventDraft[] =>
    spoken(position, "a", []).map((draft) =>
      draft.type === "message_end" ? { ...draft, message: { ...draft.message, usage: zero, cost } } : draft,
    );
  const known = events();
  const thread = numbered([...priced(1, 0.25), ...priced(2, 0.5)]);
  emitted(ending([...thread, ...thread]), known);
  expect(known.result?.cost).toBe(0.75);
  const unknown = events();
  emitted(ending(numbered([...priced(1, 0.25), ...priced(2, null)])), unknown);
  expect(unknown.result?.cost).toBeNull();
});
