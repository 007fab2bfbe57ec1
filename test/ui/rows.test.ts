// The rows of a conversation.

import { describe, expect, it } from "vitest";

import { RowBuilder } from "#playground/conversation/rows.ts";
import type { PlacedNote, Row } from "#playground/conversation/rows.ts";

import { message } from "./support/message.ts";

const call = (id: string, name: string) => ({ type: "tool_call", id, name, arguments: {} }) as const;
const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);
const noteAfter = (after: string | null, key: string): PlacedNote => ({
  after,
  note: { key, tone: "quiet", text: key, seq: 1, at: 1, ahead: false, runId: null, under: null },
});

describe("rows", () => {
  const asking = message("1", { parts: [call("a", "find"), call("b", "look")] });
  const answered = message("2", { role: "tool", tool_call_id: "a" });
  const lonely = message("3", { role: "tool", tool_call_id: "of-another" });

  it("The conversation shows a tool result in the row of its call, and a result without a call in its own row", () => {
    const rows = new RowBuilder().build([asking, answered, lonely], []);
    expect(keys(rows)).toEqual(["1", "3"]);
    expect(rows[0]).toMatchObject({ results: { a: answered } });
  });

  it("The conversation shows messages of a nested prompt in the row of its call, at any depth", () => {
    const other = message("4", { role: "tool", tool_call_id: "b" });
    const below = (id: string, parent: string, more = {}) => message(id, { parent_id: parent, depth: 1, ...more });
    const deeper = below("7", "2", { parts: [call("c", "dig")] });
    const dug = below("8", "2", { role: "tool", tool_call_id: "c" });
    const rows = new RowBuilder().build(
      [asking, answered, other, below("5", "2"), below("6", "4"), deeper, dug, below("9", "8", { depth: 2 })],
      [],
    );
    expect(keys(rows)).toEqual(["1"]);
    const [row] = rows;
    const lines = row?.kind === "message" ? row.lines : {};
    expect(Object.entries(lines).map(([id, said]) => [id, ...keys(said)])).toEqual([
      ["a", "5", "7"],
      ["b", "6"],
    ]);
    expect(lines["a"]?.[1]).toMatchObject({ under: "find", results: { c: dug }, lines: { c: [{ under: "dig" }] } });
  });

  it("The row of a message has the time of the first answer below it, also if a later page of answers is added", () => {
    const said = (id: string, at: number, role: "user" | "assistant" = "assistant") =>
      message(id, { role, created_at: at });
    const builder = new RowBuilder();
    const first = [said("1", 1, "user"), said("2", 2), said("3", 3, "user")];
    const times = (rows: readonly Row[]) => rows.map((row) => (row.kind === "message" ? row.answeredAt : undefined));
    const [before] = [builder.build(first, [])];
    expect(times(before)).toEqual([2, null, null]);
    const after = builder.build([...first, said("4", 4), said("5", 5)], []);
    expect(times(after)).toEqual([2, 4, 4, 5, null]);
    expect(after[0]).toBe(before[0]);
  });

  it("The conversation shows messages of a nested prompt in the row of its active call, and in their own rows if the call is unknown", () => {
    const early = message("5", { parent_id: "to-come", depth: 1 });
    const [row] = new RowBuilder().build([asking, early], [], new Map([["to-come", "b"]]));
    expect(row).toMatchObject({ lines: { b: [{ key: "5" }] } });
    expect(keys(new RowBuilder().build([asking, early], []))).toEqual(["1", "5"]);
  });

  it("The conversation shows a note after the row of the note's message, or first if the note has no message", () => {
    const rows = new RowBuilder().build(
      [message("0"), asking, answered],
      [noteAfter("2", "behind the result"), noteAfter(null, "first"), noteAfter("0", "behind")],
    );
    expect(keys(rows)).toEqual(["first", "0", "behind", "1", "behind the result"]);
  });

  it("A row of the conversation stays the same object until something in it changes", () => {
    const builder = new RowBuilder();
    const [first, second] = [message("0"), message("9", { streaming: true })];
    const before = builder.build([first, asking, answered, second], [noteAfter("0", "note")]);
    const after = builder.build([first, asking, answered, { ...second, content: "more" }], [noteAfter("0", "note")]);
    expect(after.map((row, at) => row === before[at])).toEqual([true, false, true, false]);
    const changed = builder.build([first, asking, { ...answered }, second], []);
    expect(changed[0]).toBe(before[0]);
    expect(changed[1]).not.toBe(before[2]);
  });

  it("A row of the conversation stays the same object while the messages of its nested prompts stay the same", () => {
    const builder = new RowBuilder();
    const [under, last] = [message("3", { parent_id: "2", depth: 1 }), message("9", { streaming: true })];
    const [before] = builder.build([asking, answered, under, last], []);
    expect(builder.build([asking, answered, under, { ...last, content: "more" }], [])[0]).toBe(before);
    expect(builder.build([asking, answered, { ...under, content: "more" }, last], [])[0]).not.toBe(before);
  });
});
