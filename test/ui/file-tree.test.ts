// The tree as rows, and what keys do in it.

import { describe, expect, it } from "vitest";

import type { FileRecord } from "#client/index.ts";
import { nameOf } from "#playground/files/path.ts";
import type { Folder } from "#playground/files/tree/folder-cache.ts";
import { moveOf, typedRow } from "#playground/files/tree/tree-keys.ts";
import { rowsOf } from "#playground/files/tree/tree-rows.ts";

function record(path: string, isDirectory = false): FileRecord {
  return { path, name: nameOf(path), mimeType: "text/plain", storage: "local", size: 1, isDirectory };
}

const there = (entries: FileRecord[]): Folder => ({ state: "there", entries, error: null });

const folders = new Map<string, Folder>([
  ["/", there([record("/docs", true), record("/src", true), record("/apple"), record("/Zebra")])],
  ["/docs", there([record("/docs/empty", true), record("/docs/plan")])],
  ["/docs/empty", there([])],
  ["/src", { state: "failed", entries: [], error: new Error("Not now") }],
]);

const rows = rowsOf({ folders, open: new Set(["/docs", "/docs/empty", "/src"]), hidden: new Set(["/apple"]) });

describe("the tree", () => {
  it("The file tree has rows under their folder with their level, and marks folders that are empty, loading or failed", () => {
    const shown = rows.map((row) =>
      row.kind === "note"
        ? `${row.level} ${row.says} ${row.path}`
        : `${row.level} ${row.record.path} ${row.place}/${row.beside} ${String(row.open)}`,
    );
    expect(shown).toEqual([
      "1 /docs 1/3 true",
      "2 /docs/empty 1/2 true",
      "3 empty /docs/empty",
      "2 /docs/plan 2/2 null",
      "1 /src 2/3 true",
      "2 failed /src",
      "1 /Zebra 3/3 null",
    ]);
    expect(rowsOf({ folders: new Map(), open: new Set(), hidden: new Set() })).toMatchObject([{ says: "loading" }]);
  });

  it.each([
    ["ArrowDown", 0, { type: "go", to: 1 }],
    ["ArrowDown", 6, { type: "go", to: 6 }],
    ["ArrowUp", 0, { type: "go", to: 0 }],
    ["Home", 5, { type: "go", to: 0 }],
    ["End", 0, { type: "go", to: 6 }],
    ["ArrowRight", 0, { type: "go", to: 1 }],
    ["ArrowRight", 6, { type: "go", to: 6 }],
    ["ArrowLeft", 0, { type: "close", path: "/docs" }],
    ["ArrowLeft", 3, { type: "go", to: 0 }],
    ["ArrowLeft", 2, { type: "go", to: 1 }],
    ["ArrowLeft", 6, { type: "go", to: 6 }],
    ["Enter", 3, { type: "choose" }],
    [" ", 3, { type: "choose" }],
    ["a", 3, null],
  ])("The key %s at row %i of the file tree moves the selection, or opens or closes a folder", (key, at, move) => {
    expect(moveOf(rows, at, key)).toEqual(move);
  });

  it("The right arrow key opens a closed folder of the file tree", () => {
    const closed = rowsOf({ folders, open: new Set(), hidden: new Set() });
    expect(moveOf(closed, 0, "ArrowRight")).toEqual({ type: "open", path: "/docs" });
  });

  it("A letter key in the file tree moves to the next name that begins with it, and after the last name to the first", () => {
    expect([typedRow(rows, 0, "z"), typedRow(rows, 6, "d"), typedRow(rows, 0, "q")]).toEqual([6, 0, null]);
    expect([typedRow(rows, 3, "pl"), typedRow(rows, 3, "pp")]).toEqual([3, 3]);
  });
});
