// The rows of a conversation.

import { describe, expect, it } from "vitest";

import type { MessageView } from "#client/index.ts";
import { RowBuilder } from "#ui/conversation/rows.ts";
import type { PlacedNote, Row } from "#ui/conversation/rows.ts";

function message(id: string, more: Partial<MessageView> = {}): MessageView {
  return {
    id,
    role: "assistant",
    content: id,
    name: null,
    tool_calls: null,
    tool_call_id: null,
    created_at: 1,
    parent_id: null,
    depth: 0,
    silent: false,
    metadata: {},
    parts: [{ type: "text", text: id }],
    position: id,
    branch_id: "main",
    run_id: "run",
    side: null,
    status: "complete",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    attachments: [],
    streaming: false,
    ...more,
  };
}

const call = (id: string, name: string) => ({ type: "tool_call", id, name, arguments: {} }) as const;
const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);
const noteAfter = (after: string | null, key: string): PlacedNote => ({
  after,
  note: { key, tone: "quiet", text: key, at: 1 },
});

describe("rows", () => {
  const asking = message("1", { parts: [call("a", "find"), call("b", "look")] });
  const answered = message("2", { role: "tool", tool_call_id: "a" });
  const lonely = message("3", { role: "tool", tool_call_id: "of-another" });

  it("UI63 a result stands in the row of its call; one whose call is not there stands alone", () => {
    const rows = new RowBuilder().build([asking, answered, lonely], []);
    expect(keys(rows)).toEqual(["1", "3"]);
    expect(rows[0]).toMatchObject({ results: { a: answered } });
  });

  it("UI63 what is said under calls side by side stands call by call, under the call's name", () => {
    const other = message("4", { role: "tool", tool_call_id: "b" });
    const below = (id: string, parent: string) => message(id, { parent_id: parent, depth: 1 });
    const rows = new RowBuilder().build(
      [asking, answered, other, below("5", "2"), below("6", "4"), below("7", "2")],
      [],
    );
    expect(rows.map((row) => (row.kind === "message" ? `${row.key} ${row.under ?? "-"}` : row.key))).toEqual([
      "1 -",
      "5 find",
      "7 find",
      "6 look",
    ]);
  });

  it("UI63 a note stands behind its message, behind the one that shows it, or first", () => {
    const rows = new RowBuilder().build(
      [message("0"), asking, answered],
      [noteAfter("2", "behind the result"), noteAfter(null, "first"), noteAfter("0", "behind")],
    );
    expect(keys(rows)).toEqual(["first", "0", "behind", "1", "behind the result"]);
  });

  it("UI64 a row stays the same object until something in it changes", () => {
    const builder = new RowBuilder();
    const [first, second] = [message("0"), message("9", { streaming: true })];
    const before = builder.build([first, asking, answered, second], [noteAfter("0", "note")]);
    const after = builder.build([first, asking, answered, { ...second, content: "more" }], [noteAfter("0", "note")]);
    expect(after.map((row, at) => row === before[at])).toEqual([true, false, true, false]);
    const changed = builder.build([first, asking, { ...answered }, second], []);
    expect(changed[0]).toBe(before[0]);
    expect(changed[1]).not.toBe(before[2]);
  });
});
