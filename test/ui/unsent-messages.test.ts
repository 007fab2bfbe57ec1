// Which messages of a conversation are shown as no longer sent, and which compaction is given as the reason.

import { describe, expect, it } from "vitest";

import type { EventOf, MessageView, ThreadContext } from "#client/index.ts";
import { lastDrop, withCompactions } from "#playground/conversation/context/compaction.ts";
import { unsentMessages } from "#playground/conversation/context/unsent-messages.ts";

import { message } from "./support/message.ts";

const user = (id: string): MessageView => message(id, { role: "user" });
const all = [
  user("q1"),
  message("a1"),
  user("q2"),
  message("a2"),
  message("t2", { role: "tool" }),
  message("n2", { parent_id: "t2", depth: 1 }),
  user("q3"),
  message("a3"),
];

/** A context with these messages. Null is the marker, and `hook` a message without an id that a hook added. */
function contextOf(ids: readonly (string | null)[], dropped: number, marker: "marker" | "summary"): ThreadContext {
  const role = (id: string | null) => (id === null || id.startsWith("q") ? "user" : "assistant");
  return {
    prompt: "p",
    model: "m",
    window: null,
    budget: null,
    tokens: 0,
    system: 0,
    tools: [],
    messages: ids.map((id) => ({
      id: id === "hook" ? null : id,
      role: role(id),
      kind: id === null ? marker : ("message" as const),
      tokens: 1,
      file_tokens: 0,
      shortened: false,
    })),
    dropped,
  };
}

const unsent = (ids: readonly (string | null)[], dropped = 2, list = all, marker: "marker" | "summary" = "marker") => {
  const found = unsentMessages(contextOf(ids, dropped, marker), list);
  if (found === null) return null;
  const { summarized, ...others } = found;
  expect(summarized).toBe(marker === "summary");
  return { ...others, ids: [...others.ids] };
};

describe("messages that are no longer sent", () => {
  it("The conversation marks the messages between the first and the newest ones as unsent, except those of nested prompts", () => {
    expect(unsent(["q1", "a1", null, "q3", "a3"])).toEqual({ before: "q3", ids: ["q2", "a2"], count: 2, kept: 2 });
    expect(unsent([null, "q3", "a3"], 4)).toEqual({ before: "q3", ids: ["q1", "a1", "q2", "a2"], count: 4, kept: 0 });
  });

  it("The conversation counts a run's question as sent if it is sent although answers after it are dropped", () => {
    const steps = [user("q1"), message("a1"), user("q2"), message("s1"), message("s2"), message("s3")];
    expect(unsent([null, "q2", "s3"], 4, steps)).toEqual({
      before: "s3",
      ids: ["q1", "a1", "s1", "s2"],
      count: 4,
      kept: 1,
    });
  });

  it("A message that a request omits for a reason other than compaction does not move the compaction line", () => {
    expect(unsent([null, "q2", "q3", "a3"])).toMatchObject({ before: "q2", ids: ["q1", "a1"] });
    expect(unsent(["q1", "q2", "q3", "a3"], 0)).toBeNull();
  });

  it("A message without an id that a hook added is not mistaken for the message that replaces dropped ones", () => {
    expect(unsent(["hook", "q1", "a1", null, "q3", "a3"])).toMatchObject({ before: "q3", ids: ["q2", "a2"] });
  });

  it("The compaction line distinguishes whether a summary replaces the dropped messages", () => {
    expect(unsent(["q1", "a1", null, "q3", "a3"], 2, all, "summary")).toMatchObject({ before: "q3" });
  });

  it("The conversation shows no compaction line while the dropped messages are not loaded", () => {
    expect(unsent(["q1", "a1", null, "q3", "a3"], 2, all.slice(6))).toBeNull();
  });
});

describe("the compaction that dropped messages", () => {
  const base = { thread_id: "t", at: 1, run_id: "r" };
  const start = (seq: number, more: Partial<EventOf<"compaction_start">> = {}) =>
    ({ ...base, seq, type: "compaction_start", reason: "budget", tokens: 10, budget: 8, ...more }) as const;
  const end = (seq: number, dropped: number, more: Partial<EventOf<"compaction_end">> = {}) =>
    ({ ...base, seq, type: "compaction_end", level: "drop", tokens: 6, dropped, ...more }) as const;

  it("The compaction line names the last compaction that dropped messages, not a later one that left out only files", () => {
    const events = [
      start(1),
      end(2, 3),
      start(5),
      end(6, 7),
      start(8, { reason: "files" }),
      end(9, 7, { level: "files" }),
    ];
    expect(lastDrop(events)).toEqual({ start: start(5), end: end(6, 7) });
    expect(lastDrop([start(1), end(2, 0, { level: "tools" })])).toBeNull();
  });

  it("The messages that compactions drop are counted separately for each side of an agent", () => {
    const b = { side: "b" } as const;
    const events = [start(1), end(2, 9), start(3, b), end(4, 2, b)];
    expect(lastDrop(events)?.end.seq).toBe(4);
  });

  it("The list of compaction events is sorted, has each event once, and leaves out those of nested loops", () => {
    const known = withCompactions([], [end(2, 3), start(1)]);
    expect(known).toEqual([start(1), end(2, 3)]);
    expect(withCompactions(known, [start(1), end(4, 5, { parent_id: "call" })])).toBe(known);
  });
});
